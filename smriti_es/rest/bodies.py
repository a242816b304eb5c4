"""What requests carry in their bodies."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from smriti_es.answering import QUESTION_LENGTH_MAX
from smriti_es.view import BUDGET_MAX, LIMIT_MAX

_NAME_MAX = 200
_TEXT_MAX = 10_000
_LIST_MAX = 500
# No position is larger: databases hold 64 bits with a sign.
_POSITION_MAX = 2**53 - 1

Name = Annotated[str, Field(max_length=_NAME_MAX)]
Text = Annotated[str, Field(max_length=_TEXT_MAX)]
Names = Annotated[list[Name], Field(max_length=_LIST_MAX)]
When = Annotated[str, Field(max_length=_NAME_MAX, description="RFC 3339, or coarser: 2024-03.")]
Position = Annotated[int, Field(ge=0, le=_POSITION_MAX)]
KnownAt = Annotated[Position | When, Field(description="A position of the log, or a time.")]
Metadata = dict[Name, Any]
Origin = Literal["owner", "agent", "tool", "untrusted"]
Trust = Literal["today", "then"]


class Body(BaseModel):
    """What is not known is refused, so that no filter is lost."""

    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> dict[str, Any]:
        """Give what was said, as the engine's arguments."""
        return {
            name: getattr(self, name)
            for name in self.model_fields_set
            if getattr(self, name) is not None
        }


class Filtered(Body):
    """What a question and a list may be narrowed to."""

    spaces: Names | None = None
    sessions: Names | None = None
    roles: Names | None = None
    origins: list[Origin] | None = None
    kinds: Names | None = None
    tags: Names | None = None
    tags_any: Names | None = None
    where: Annotated[dict[str, Any] | None, Field(description='As in {"level": {"gte": 4}}.')] = (
        None
    )
    since: When | None = None
    until: When | None = None
    scopes: Names | None = None


class Asked(Filtered):
    """A question."""

    question: Annotated[str, Field(max_length=QUESTION_LENGTH_MAX)]
    now: When | None = None
    valid_at: When | None = None
    known_at: KnownAt | None = None
    history: bool | None = None
    profile: Annotated[
        Name,
        Field(description="evidence, facts, relations, timeline, deep, or auto."),
    ] = "evidence"
    channels: Annotated[
        Names | None,
        Field(description="What takes part, of lexical, semantic, entity, temporal."),
    ] = None
    rerank: Annotated[
        bool | None,
        Field(description="Whether the reranker judges the best; left out: if there is one."),
    ] = None


class SearchBody(Asked):
    """A question whose hits are wanted."""

    k: Annotated[
        int | None, Field(ge=1, le=LIMIT_MAX, description="What the profile says, 12 by default.")
    ] = None
    explain: bool = False


class ContextBody(Asked):
    """A question whose evidence is wanted as text."""

    budget: Annotated[int, Field(ge=1, le=BUDGET_MAX)] = 9_000


class AddBody(Body):
    """What was said."""

    session: Annotated[str, Field(min_length=1, max_length=_NAME_MAX)]
    messages: Annotated[
        list[str | dict[str, Any]],
        Field(
            min_length=1,
            max_length=10_000,
            description="Texts, or {role, content, name?, timestamp?, id?, …} as agents have them.",
        ),
    ]
    at: When | None = None
    tags: Names | None = None
    metadata: Metadata | None = None
    kind: Name | None = None
    origin: Origin | None = None
    session_tags: Names | None = None
    session_metadata: Metadata | None = None
    readmit: bool = False
    wait_for: Literal["commit", "vectors", "facts"] = "commit"


class FactBody(Body):
    """A fact that is stated."""

    subject: Name
    predicate: Name
    object: Text
    statement: Text | None = None
    scope: Text | None = None
    valid_from: When | None = None
    valid_to: When | None = None
    said_at: When | None = None
    multi: bool = False
    kind: Name | None = None
    because: Annotated[list[Position], Field(max_length=_LIST_MAX)] | None = None
    origin: Origin | None = None
    entities: Names | None = None
    tags: Names | None = None
    metadata: Metadata | None = None


class Reason(Body):
    """Why."""

    reason: Text = ""


class EndBody(Reason):
    """When something ended, and why."""

    at: When | None = None


class EditBody(Reason):
    """How a proposal is set right."""

    object: Text | None = None
    statement: Text | None = None
    valid_from: When | None = None
    valid_to: When | None = None


class AliasBody(Reason):
    """Two names of one entity."""

    alias: Name
    canonical: Name


class UnaliasBody(Reason):
    """A name that is an alias."""

    alias: Name


class ValueBody(Reason):
    """A value of a fact."""

    subject: Name
    predicate: Name
    object: Text


class _Named(Reason):
    """Exactly one thing is named."""

    turn: Position | None = None
    session: Name | None = None
    fact: Position | None = None

    def target(self) -> dict[str, Any]:
        """Give what is named."""
        kinds = ("turn", "session", "fact", "origin", "actor", "entity", "space", "before")
        named = {kind: getattr(self, kind, None) for kind in kinds}
        return {kind: name for kind, name in named.items() if name is not None}


class QuarantineBody(_Named):
    """What is withheld."""

    origin: Origin | None = None
    actor: Name | None = None
    cascade: bool = True


class ErasureBody(_Named):
    """What is erased."""

    entity: Name | None = None
    origin: Origin | None = None
    space: Name | None = None
    before: When | None = None
    predecessor: Literal["lapse", "reopen"] = "lapse"
    forget_values: bool = False
    dry_run: bool = False


class HoldBody(_Named):
    """What is held; nothing named: everything."""

    entity: Name | None = None
    space: Name | None = None
    authority: Name
    expires_at: When | None = None


class RetentionBody(Reason):
    """How long something is kept."""

    keep_for_s: Annotated[float | None, Field(ge=0, le=100_000 * 86_400)]
    session: Name | None = None
    kind: Name | None = None


class SweepBody(Body):
    """As of when something is due."""

    now: When | None = None
    dry_run: bool = False


class TrustBody(Reason):
    """A profile of trust."""

    profile: Literal["open", "personal", "regulated"]


class ServedBody(Body):
    """A text that was handed out."""

    text: str


class VerifyBody(Body):
    """How thoroughly the log is verified."""

    projections: bool = False
    checkpoint: Text | None = None
