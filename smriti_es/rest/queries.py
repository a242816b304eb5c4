"""What requests carry in their query; lists are repeated, and what is not known is refused."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json

from smriti_es.rest.bodies import KnownAt, Name, Names, Origin, Text, Trust, When

PAGE_MAX: Final = 1_000
CURSOR_MAX: Final = 500


def _point(given: Any) -> Any:
    """Tell a position from a time: four digits are a year, eight a day."""
    if isinstance(given, str) and given.isdecimal() and len(given) not in (4, 8):
        return int(given)
    return given


Known = Annotated[KnownAt, BeforeValidator(_point)]


class Parameters(BaseModel):
    """The parameters of a read."""

    model_config = ConfigDict(extra="forbid")

    def given(self, *without: str) -> dict[str, Any]:
        """Give what was said, as the engine's arguments."""
        return {
            name: getattr(self, name)
            for name in self.model_fields_set - set(without)
            if getattr(self, name) is not None
        }


class Paged(Parameters):
    """Which page of a list."""

    cursor: Annotated[
        str | None,
        Field(max_length=CURSOR_MAX, description="`next` of the page before; not at first."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX, description="How many at most.")] = 100


class TurnsQuery(Paged):
    """Which turns."""

    newest: bool = False
    known_at: Known | None = None
    spaces: Names | None = None
    sessions: Names | None = None
    roles: Names | None = None
    origins: list[Origin] | None = None
    kinds: Names | None = None
    tags: Names | None = None
    tags_any: Names | None = None
    where: Json[dict[str, Any]] | None = None
    since: When | None = None
    until: When | None = None


class SessionsQuery(Paged):
    """Which sessions."""

    known_at: Known | None = None
    spaces: Names | None = None
    tags: Names | None = None
    where: Json[dict[str, Any]] | None = None


class _AboutFacts(Parameters):
    """Which facts, as of when."""

    subject: Name | None = None
    predicate: Name | None = None
    scopes: Names | None = None
    tags: Names | None = None
    tags_any: Names | None = None
    where: Json[dict[str, Any]] | None = None
    trust: Trust | None = None


class HistoryQuery(_AboutFacts, Paged):
    """Of what the history is wanted."""

    object: Text | None = None
    valid_at: When | None = None
    known_at: Known | None = None
    origins: list[Origin] | None = None


class FactsQuery(HistoryQuery):
    """Which facts are wanted."""

    entity: Name | None = None
    kinds: Names | None = None
    statuses: Names | None = None
    all_scopes: Annotated[bool, Field(description="In whatever scope.")] = False
    any_status: Annotated[bool, Field(description="However they stand.")] = False


class ExplainQuery(Parameters):
    """As of when a fact is explained, and to whom."""

    valid_at: When | None = None
    known_at: Known | None = None
    scopes: Names | None = None
    origins: list[Origin] | None = None
    trust: Trust | None = None


class DiffQuery(_AboutFacts):
    """Between which times beliefs are compared."""

    earlier: Known
    later: Known


class EventsQuery(Paged):
    """Which events of the log."""

    content: Annotated[bool, Field(description="With what the events say.")] = False
