"""The options that every verb takes, before it or after it: where the memory is, how to answer."""

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

import typer

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from smriti_es.guarding import Guards

Readmit = Annotated[
    bool,
    typer.Option("--readmit", help="Also record turns again that were erased."),
]
_PANEL: Final = "Memory"
_YES: Final = frozenset({"1", "true", "yes", "on"})
_NO: Final = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """What was written on the command line; None where nothing was.

    Attributes:
        db: Path of the memory.
        tenant: Whose log.
        space: Spaces to read; the one to write to.
        timezone: Where times without an offset are meant.
        embedder: What makes vectors.
        extractor: What finds facts.
        llm: The language model.
        reranker: What judges the best candidates of a question.
        profile: Where text may be sent.
        allow_host: Hosts that the profile allows beside this machine.
        redact: Whether credentials are taken out.
        ignore: Patterns of turns that are not stored.
        as_json: Whether to answer in JSON.
    """

    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="PATH",
            help="The memory's file. (env SMRITI_ES_DB; default: ./memory.db)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    tenant: Annotated[
        str | None,
        typer.Option(
            "--tenant",
            metavar="NAME",
            help="Whose log. (env SMRITI_ES_TENANT; default: default)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--space",
            metavar="NAME",
            help="The space to write to; those to read. (env SMRITI_ES_SPACE; default: main)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            metavar="ZONE",
            help="Zone of times without offset. (env SMRITI_ES_TIMEZONE; default: the memory's)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="auto, none, hash, minilm, a folder with an ONNX model, or https://host#model. "
            "(env SMRITI_ES_EMBEDDER; default: auto)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    extractor: Annotated[
        str | None,
        typer.Option(
            "--extractor",
            metavar="NAME",
            help="auto, patterns or none; auto is the model of --llm, else patterns. "
            "(env SMRITI_ES_EXTRACTOR; default: auto)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            metavar="URL#MODEL",
            help="A language model, as in http://localhost:11434#qwen2.5:7b; what is said goes to "
            "it. (env SMRITI_ES_LLM; default: none)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    reranker: Annotated[
        str | None,
        typer.Option(
            "--reranker",
            metavar="NAME",
            help="A folder with a cross-encoder, https://host#model, or that with a mode of System "
            "One before it, as in noul:https://host#model; what may answer goes to it. "
            "(env SMRITI_ES_RERANKER; default: none)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="Where text may be sent: local, team or regulated. (env SMRITI_ES_PROFILE; "
            "default: anywhere)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="HOST",
            help="A host that the profile allows; may be repeated. (env SMRITI_ES_ALLOWED_HOSTS)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    redact: Annotated[
        bool | None,
        typer.Option(
            "--redact/--no-redact",
            help="Take credentials out before anything is stored or sent. (env SMRITI_ES_REDACT; "
            "default: with a profile)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="REGEX",
            help="Turns that it fits are not stored; may be repeated. (env SMRITI_ES_IGNORE)",
            rich_help_panel=_PANEL,
            show_default=False,
        ),
    ] = None
    as_json: Annotated[
        bool | None,
        typer.Option("--json", help="Answer in JSON, lists as JSON lines.", rich_help_panel=_PANEL),
    ] = None

    def over(self, earlier: Self | None) -> Self:
        """Give these options, and where nothing was written here, those written before."""
        if earlier is None:
            return self
        return type(self)(
            **{
                each.name: _first_written(getattr(self, each.name), getattr(earlier, each.name))
                for each in fields(self)
            }
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which memory, decided.

    Attributes:
        db: Path of the file.
        db_written: Whether the command line names it.
        tenant: Whose log.
        spaces: The spaces to read; the one to write to.
        timezone: Where times without an offset are meant; None: where the memory means them.
        embedder: What makes vectors.
        extractor: What finds facts.
        llm: Address of the language model, or None.
        reranker: What judges the best candidates of a question.
        guards: What is kept out, and what does not leave, as `Engine.open` takes it.
    """

    db: str
    db_written: bool
    tenant: str
    spaces: tuple[str, ...]
    timezone: str | None
    embedder: str
    extractor: str = "auto"
    llm: str | None = None
    reranker: str = "none"
    guards: "Guards | None" = None

    @classmethod
    def of(cls, options: SharedOptions) -> Self:
        """Decide: the command line first, then the environment, then the defaults."""

        def first(written: Any, variable: str, default: Any) -> Any:
            return _first_written(written, os.environ.get(variable) or default)

        space = first(options.space, "SMRITI_ES_SPACE", "main")
        return cls(
            db=first(options.db, "SMRITI_ES_DB", "memory.db"),
            db_written=options.db is not None,
            tenant=first(options.tenant, "SMRITI_ES_TENANT", "default"),
            spaces=(space,) if isinstance(space, str) else tuple(space),
            timezone=first(options.timezone, "SMRITI_ES_TIMEZONE", None),
            embedder=first(options.embedder, "SMRITI_ES_EMBEDDER", "auto"),
            extractor=first(options.extractor, "SMRITI_ES_EXTRACTOR", "auto"),
            llm=first(options.llm, "SMRITI_ES_LLM", None),
            reranker=first(options.reranker, "SMRITI_ES_RERANKER", "none"),
            guards=_guards(options),
        )


def _guards(options: SharedOptions) -> "Guards | None":
    """Decide what is kept out and what does not leave; what nobody names is left to the engine."""
    environment = os.environ
    redact = options.redact
    if redact is None and (word := environment.get("SMRITI_ES_REDACT")):
        redact = _yes_or_no(word)
    hosts = environment.get("SMRITI_ES_ALLOWED_HOSTS", "").split()
    patterns = environment.get("SMRITI_ES_IGNORE", "").splitlines()
    named: Guards = {
        "profile": _first_written(options.profile, environment.get("SMRITI_ES_PROFILE") or None),
        "allowed_hosts": _first_written(options.allow_host, hosts),
        "redact": redact,
        "ignore": _first_written(options.ignore, patterns),
    }
    return named if any(each not in (None, []) for each in named.values()) else None


def _yes_or_no(word: str) -> bool:
    if word.lower() not in _YES | _NO:
        raise InvalidInput(f"SMRITI_ES_REDACT is {word!r}", hint="Give 1 or 0.")
    return word.lower() in _YES


def _first_written(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None or value == [] else value
