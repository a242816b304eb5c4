"""One call of a verb: the memory that it is about, and the screen that it answers on."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import typer

from smriti_es.cli.embedder_choice import chosen_embedder
from smriti_es.cli.extractor_choice import chosen_extractor, chosen_llm
from smriti_es.cli.option_groups import with_option_groups
from smriti_es.cli.reranker_choice import chosen_reranker
from smriti_es.cli.screen import Screen
from smriti_es.cli.shared_options import Chosen, SharedOptions
from smriti_es.closing import ClosedOnExit
from smriti_es.events.errors import InvalidInput, NotFound, StorageDamaged
from smriti_es.events.locations import names_server

if TYPE_CHECKING:
    from smriti_es.engine import Engine

Verb = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a verb is called with, beside its own options.

    Attributes:
        chosen: Which memory.
        screen: Where to answer.
    """

    chosen: Chosen
    screen: Screen

    def reading(self, *, embedder: bool = True, timezone: str | None = None) -> "Engine":
        """Open the memory to read only.

        Args:
            embedder: Whether vectors matter to what is read; without them a model need not be
                loaded.
            timezone: The zone when nobody names one; None: the memory's.

        Raises:
            NotFound: There is no such memory, or no such tenant in it.
            StorageError: It cannot be opened.
        """
        self.assert_exists()
        chosen = chosen_embedder(self.chosen.embedder) if embedder else None
        return self._open(
            read_only=True, embedder=chosen, timezone=self.chosen.timezone or timezone
        )

    @contextmanager
    def writing(
        self,
        single_valued: Sequence[str] = (),
        trust: str | None = None,
        *,
        embedder: bool = True,
    ) -> "Iterator[Engine]":
        """Open the memory to write, making it when it is not there.

        Facts that were not looked for yet are left for `extract_pending`, as the vectors are for
        `wait_for_vectors`: a call ends before a thread gets far.

        Args:
            single_valued: Predicates that hold one value at a time, beside the shipped ones.
            trust: Profile of trust with which it is founded, or which it must have; None: any.
            embedder: Whether to open it with the embedder that is chosen, or without one.

        Raises:
            InvalidInput: More than one space is named, or there is no such embedder or extractor,
                or the memory was founded with other predicates, or has another profile of trust.
            StorageError: It cannot be opened.
        """
        if len(self.chosen.spaces) > 1:
            raise InvalidInput(
                "several spaces are named, but only one can be written to",
                hint="Give --space once.",
            )
        with ExitStack() as stack:
            adapters = self._adapters(stack, embedder=embedder)
            engine = self._open(
                read_only=False, single_valued=single_valued, trust=trust, **adapters
            )
            yield stack.enter_context(engine)

    @contextmanager
    def maintaining(self, *, embedder: bool = True) -> "Iterator[Engine]":
        """Open the memory to write, but never make one.

        Args:
            embedder: Whether to open it with the embedder that is chosen, or without one.

        Raises:
            NotFound: There is no such memory, or no such tenant in it.
            StorageError: It cannot be opened.
        """
        self.reading(embedder=False).close()
        with self.writing(embedder=embedder) as engine:
            yield engine

    @contextmanager
    def trying(self) -> "Iterator[Engine]":
        """Open a memory that holds nothing and is gone afterwards, in place of the chosen one."""
        chosen = replace(self.chosen, db=":memory:")
        with replace(self, chosen=chosen).writing() as engine:
            yield engine

    @contextmanager
    def describing(self) -> "Iterator[Engine]":
        """Open the memory to read only, with everything that a verb that writes would use.

        Raises:
            NotFound: There is no such memory, or no such tenant in it.
            EgressRefused: The profile does not allow one of them.
        """
        self.assert_exists()
        with ExitStack() as stack:
            engine = self._open(read_only=True, **self._adapters(stack))
            yield stack.enter_context(engine)

    @contextmanager
    def serving(self, *, read_only: bool = False, **options: Any) -> "Iterator[Engine]":
        """Open the memory for a server: it embeds and extracts in the background.

        The first space that is named is written to, all of them are read.

        Args:
            read_only: Whether nothing is written.
            options: Further options of `Engine.open`, over those that were chosen.
        """
        from smriti_es.engine import Engine

        chosen = self.chosen
        with ExitStack() as stack:
            adapters = self._adapters(stack)
            yield stack.enter_context(
                Engine.open(
                    chosen.db,
                    tenant=chosen.tenant,
                    space=chosen.spaces[0],
                    spaces=chosen.spaces,
                    read_only=read_only,
                    **(chosen.guards or {}),
                    **adapters,
                    **options,
                )
            )

    @contextmanager
    def opening_several(self) -> "Iterator[Callable[[Any], Engine]]":
        """Give what opens memories of the file for a server, all with the same adapters."""
        from smriti_es.embedders import default_embedder
        from smriti_es.engine import Engine

        with ExitStack() as stack:
            adapters = self._adapters(stack)
            if adapters["embedder"] == "auto":
                adapters["embedder"] = default_embedder()  # one model for all of them
            adapters |= self.chosen.guards or {}

            def opened(wanted: Any) -> "Engine":
                return Engine.open(
                    self.chosen.db,
                    tenant=wanted.tenant,
                    space=wanted.spaces[0],
                    spaces=wanted.spaces,
                    read_only=wanted.read_only,
                    origin=wanted.origin,
                    actor=wanted.actor,
                    **adapters,
                )

            yield opened

    def _adapters(self, stack: ExitStack, *, embedder: bool = True) -> dict[str, Any]:
        """Make what is chosen on the command line; it is closed with the stack."""
        from smriti_es.extraction.arbitration import LLMArbiter

        llm = chosen_llm(self.chosen.llm)
        if llm is not None:
            stack.enter_context(llm)
        reranker = chosen_reranker(self.chosen.reranker)
        if isinstance(reranker, ClosedOnExit):
            stack.enter_context(reranker)
        return {
            "embedder": chosen_embedder(self.chosen.embedder) if embedder else None,
            "extractor": chosen_extractor(self.chosen.extractor, llm),
            "arbiter": None if llm is None else LLMArbiter(llm),
            "reranker": reranker,
            "timezone": self.chosen.timezone,
        }

    def tenants(self) -> list[str]:
        """List the tenants of the file."""
        from smriti_es.events.opening import open_database
        from smriti_es.events.registry import tenants

        self.assert_exists()
        database = open_database(self.chosen.db, read_only=True)
        try:
            return tenants(database)
        finally:
            database.close()

    def is_there(self) -> bool:
        """Tell whether the memory exists already."""
        if not names_server(self.chosen.db):
            return Path(self.chosen.db).is_file()
        try:
            return self.chosen.tenant in self.tenants()
        except StorageDamaged:
            return False  # a database without our tables

    def assert_exists(self) -> None:
        """Refuse a file that is not there.

        Raises:
            NotFound: It is not.
        """
        if names_server(self.chosen.db):
            return  # opening it tells
        if Path(self.chosen.db).is_dir():
            raise NotFound(
                f"there is no memory at {self.chosen.db}: it is a folder", hint="Name a file in it."
            )
        if not Path(self.chosen.db).is_file():
            raise NotFound(
                f"there is no memory at {self.chosen.db}",
                hint="`smriti-es init` or `smriti-es add` makes one; --db names another file.",
            )

    def _open(self, **options: Any) -> "Engine":
        from smriti_es.engine import Engine
        from smriti_es.settings import Settings

        chosen = self.chosen
        return Engine.open(
            chosen.db,
            tenant=chosen.tenant,
            space=chosen.spaces[0],
            spaces=chosen.spaces,
            settings=Settings(embed_in_background=False, extract_in_background=False),
            **(chosen.guards or {}),
            **options,
        )


def zone_of(engine: "Engine") -> ZoneInfo:
    """Give the zone in which the memory's times are shown."""
    return ZoneInfo(engine.timezone)


def remember_options(context: typer.Context, shared: SharedOptions) -> None:
    """Keep options that were written before the verb."""
    context.obj = shared.over(context.obj)


def verb(app: typer.Typer, name: str, *examples: str) -> Callable[[Verb], Verb]:
    """Add a function to an application as a verb.

    Args:
        app: The application, or a group in it.
        name: What calls it.
        examples: Command lines that show it; the program's name is put before those that lack it.

    Returns:
        A decorator. The function's first argument is the `Invocation`; the others are options, or
        groups of them; its docstring's first line is the help text.
    """

    def register(function: Verb) -> Verb:
        app.command(name, help=_first_line(function), epilog=_epilog(examples))(_callable(function))
        return function

    return register


def _callable(function: Verb) -> Verb:
    """Let typer call a verb: with the shared options, and without the invocation."""

    def run(context: typer.Context, shared: SharedOptions, **values: Any) -> None:
        options = shared.over(context.obj)
        function(Invocation(Chosen.of(options), Screen(as_json=options.as_json is True)), **values)

    own = list(inspect.signature(function).parameters.values())[1:]
    added = inspect.signature(run).parameters
    seen = [*own, added["context"], added["shared"]]
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in seen]
    run.__name__ = function.__name__
    run.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in keywords}
    return with_option_groups(run)


def _first_line(function: Verb) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]


def _epilog(examples: Sequence[str]) -> str:
    lines = [each if "smriti-es " in each else f"smriti-es {each}" for each in examples]
    return "\n\n".join(["Examples:", *lines])
