"""The options that every verb takes, before it or after it: where the memory is, how to answer."""

import os
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, Self

import typer

_PANEL: Final = "Memory"


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
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Answer in JSON, lists as JSON lines.", rich_help_panel=_PANEL),
    ] = False

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
    """

    db: str
    db_written: bool
    tenant: str
    spaces: tuple[str, ...]
    timezone: str | None
    embedder: str
    extractor: str = "auto"
    llm: str | None = None

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
        )


def _first_written(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None or value == [] or value is False else value
