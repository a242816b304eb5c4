"""The options that narrow an answer down, the same for every verb that reads turns."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from smriti_es.events.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from smriti_es.policy import Filters

_PANEL: Final = "Only turns that"
_WHERE_HINT: Final = 'Give for example --where \'{"level": {"gte": 4}}\'.'


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """What was written on the command line; see `Filters` for what each means."""

    session: Annotated[
        list[str] | None,
        typer.Option(
            "--session", metavar="NAME", help="are of this session", rich_help_panel=_PANEL
        ),
    ] = None
    role: Annotated[
        list[str] | None,
        typer.Option(
            "--role",
            metavar="ROLE",
            help="were said in this role: user, assistant, system, tool",
            rich_help_panel=_PANEL,
        ),
    ] = None
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin",
            metavar="ORIGIN",
            help="came from: owner, agent, tool, untrusted",
            rich_help_panel=_PANEL,
        ),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="are of this kind", rich_help_panel=_PANEL),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="TAG", help="have this tag; given twice: both", rich_help_panel=_PANEL
        ),
    ] = None
    any_tag: Annotated[
        list[str] | None,
        typer.Option(
            "--any-tag",
            metavar="TAG",
            help="have this tag; given twice: one of them",
            rich_help_panel=_PANEL,
        ),
    ] = None
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            metavar="JSON",
            help='have metadata such as {"level": {"gte": 4}}',
            rich_help_panel=_PANEL,
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option(
            "--since", metavar="TIME", help="were said then or later", rich_help_panel=_PANEL
        ),
    ] = None
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TIME",
            help="were said before then; a date counts to its end",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def filters(self, scopes: "Sequence[str] | None" = None) -> "Filters":
        """Give the filters in the engine's words.

        Args:
            scopes: Scopes that one is in, where facts are read too.

        Raises:
            InvalidInput: `--where` is not a JSON object.
        """
        from smriti_es.policy import Filters

        given: dict[str, Any] = {
            "sessions": self.session,
            "roles": self.role,
            "origins": self.origin,
            "kinds": self.kind,
            "tags": self.tag,
            "tags_any": self.any_tag,
            "where": condition(self.where),
            "since": self.since,
            "until": self.until,
            "scopes": scopes,
        }
        filters = Filters()
        filters.update({name: value for name, value in given.items() if value not in (None, [])})  # type: ignore[typeddict-item]
        return filters


def condition(where: str | None) -> dict[str, object] | None:
    """Read a condition on metadata.

    Raises:
        InvalidInput: It is not a JSON object.
    """
    if where is None:
        return None
    try:
        parsed = json.loads(where)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"--where is not JSON: {error}", hint=_WHERE_HINT) from error
    if not isinstance(parsed, dict):
        raise InvalidInput("--where is not a JSON object", hint=_WHERE_HINT)
    return parsed
