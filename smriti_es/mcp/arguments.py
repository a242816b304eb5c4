"""What each tool takes."""

import json
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from smriti_es.mcp.lenient import (
    Arguments,
    Flag,
    Mapping,
    Name,
    NumberList,
    Position,
    TextList,
    When,
    clamped,
    point_in_time,
)

QUESTION_MAX: Final = 4_000
CONTENT_MAX: Final = 20_000
MESSAGES_MAX: Final = 200
STATEMENT_MAX: Final = 2_000
HITS_MAX: Final = 100
BUDGET_MIN, BUDGET_MAX = 200, 64_000
LISTED_MAX: Final = 200

Question = Annotated[
    str, Field(min_length=1, max_length=QUESTION_MAX, description="What is asked, in plain words.")
]
Now = Annotated[
    When, Field(description="When it is asked (ISO 8601), for words such as 'last week'. Now.")
]
ValidAt = Annotated[When, Field(description="When facts must hold in the world (ISO 8601). Now.")]
KnownAt = Annotated[
    When,
    BeforeValidator(point_in_time),
    Field(description="As of when (ISO 8601), or as of which position of the log. Now."),
]
Listed = Annotated[
    int,
    Field(description="How many at most.", ge=1, le=LISTED_MAX),
    BeforeValidator(clamped(1, LISTED_MAX)),
]
Scope = Annotated[
    str,
    Field(
        max_length=STATEMENT_MAX,
        description="Where it applies, as kind:value, for example project:Atlas. Everywhere.",
    ),
]


def _messages(given: Any) -> Any:
    """Read messages, also as JSON in a text; a text is one message of the user."""
    if isinstance(given, str):
        stripped = given.strip()
        if stripped[:1] in ("[", "{"):
            try:
                given = json.loads(stripped)
            except ValueError:
                return [{"role": "user", "content": given}]
        else:
            return [{"role": "user", "content": given}]
    if isinstance(given, dict):
        given = [given]
    if isinstance(given, list):
        return [
            {"role": "user", "content": each} if isinstance(each, str) else each for each in given
        ]
    return given


class Message(Arguments):
    """One thing that was said."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    role: Annotated[Literal["user", "assistant", "system", "tool"], Field(description="Who spoke.")]
    content: Annotated[str, Field(max_length=CONTENT_MAX, description="What was said.")]
    name: Annotated[Name, Field(description="The speaker's name.")] = ""
    timestamp: Annotated[When, Field(description="When it was said (ISO 8601).")] = ""
    id: Annotated[Name, Field(description="Your id of it.")] = ""


class Remember(Arguments):
    """Arguments of `remember`."""

    messages: Annotated[
        list[Message],
        BeforeValidator(_messages),
        Field(
            min_length=1,
            max_length=MESSAGES_MAX,
            description="What was said, word for word, in order.",
            validation_alias=AliasChoices("messages", "content", "text"),
        ),
    ]
    session: Annotated[
        Name, Field(description="Your name of the conversation; left out: this connection's.")
    ] = ""
    at: Annotated[When, Field(description="When it was said (ISO 8601). Now.")] = ""
    tags: Annotated[TextList, Field(description="Labels to filter by later.")] = ()


class Asking(Arguments):
    """What every question takes."""

    query: Annotated[Question, Field(validation_alias=AliasChoices("query", "question"))]
    now: Now = ""
    valid_at: ValidAt = ""
    known_at: KnownAt = ""
    sessions: Annotated[TextList, Field(description="Only these conversations.")] = ()
    tags: Annotated[TextList, Field(description="Only what has all of these labels.")] = ()
    since: Annotated[When, Field(description="Only what was said from then on (ISO 8601).")] = ""
    until: Annotated[When, Field(description="Only what was said before (ISO 8601).")] = ""
    where: Annotated[
        Mapping,
        Field(
            description='A filter on metadata, for example {"level": {"gte": 4}}.',
            validation_alias=AliasChoices("where", "filters"),
        ),
    ] = Field(default_factory=dict)
    profile: Annotated[
        Name,
        Field(
            description="How it is answered: evidence, facts (what is believed), relations (who "
            "has to do with whom), timeline (what was when), deep (to count or sum up), or auto."
        ),
    ] = ""
    channels: Annotated[
        TextList, Field(description="Only these take part: lexical, semantic, entity, temporal.")
    ] = ()


class Recall(Asking):
    """Arguments of `recall`."""

    budget: Annotated[
        int,
        Field(
            description="Characters at most.",
            ge=BUDGET_MIN,
            le=BUDGET_MAX,
            validation_alias=AliasChoices("budget", "char_budget"),
        ),
        BeforeValidator(clamped(BUDGET_MIN, BUDGET_MAX)),
    ] = 9_000


class Search(Asking):
    """Arguments of `search`."""

    k: Annotated[
        int,
        Field(
            description="How many hits at most.",
            ge=1,
            le=HITS_MAX,
            validation_alias=AliasChoices("k", "limit"),
        ),
        BeforeValidator(clamped(1, HITS_MAX)),
    ] = 12


class FactsAbout(Arguments):
    """Arguments of `facts_about`."""

    entity: Annotated[
        Name,
        Field(min_length=1, description="A person, place or thing; 'user' is who speaks to you."),
    ]
    predicate: Annotated[Name, Field(description="Only this, for example lives_in.")] = ""
    valid_at: ValidAt = ""
    known_at: KnownAt = ""
    past: Annotated[Flag, Field(description="Also what holds no longer.")] = False
    limit: Listed = 50


class AddFact(Arguments):
    """Arguments of `add_fact`."""

    subject: Annotated[Name, Field(min_length=1, description="Whom or what it is about.")] = "user"
    predicate: Annotated[Name, Field(min_length=1, description="What is said, as in lives_in.")]
    object: Annotated[str, Field(min_length=1, max_length=STATEMENT_MAX, description="The value.")]
    statement: Annotated[
        str, Field(max_length=STATEMENT_MAX, description="A sentence that says it.")
    ] = ""
    scope: Scope = ""
    valid_from: Annotated[
        When, Field(description="Since when it holds, also coarse: 2019, 2024-03. Now.")
    ] = ""
    valid_to: Annotated[When, Field(description="Until when, if that is known.")] = ""
    several: Annotated[
        Flag, Field(description="There may be several such values at once, as of hobbies.")
    ] = False
    because: Annotated[NumberList, Field(description="Positions of facts it follows from.")] = ()
    tags: Annotated[TextList, Field(description="Labels to filter by later.")] = ()


class History(Arguments):
    """Arguments of `history`."""

    subject: Annotated[Name, Field(min_length=1, description="Whom or what it is about.")] = "user"
    predicate: Annotated[Name, Field(description="Only this, for example lives_in.")] = ""
    known_at: KnownAt = ""
    limit: Listed = 50


class Explain(Arguments):
    """Arguments of `explain`."""

    position: Annotated[
        Position, Field(description="Of the fact, as facts_about, history and search give it.")
    ]


class Stats(Arguments):
    """`stats` takes nothing."""
