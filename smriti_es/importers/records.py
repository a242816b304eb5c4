"""What readers give: conversations, facts, names, and what they leave out with its place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from smriti_es.captured import TimeGiven

Reason = Literal[
    "unreadable",
    "branch",
    "hidden",
    "reasoning",
    "unsupported",
    "derived",
    "forgotten",
    "bookkeeping",
    "other file",
    "empty",
    "repeated",
    "ignored",
    "context",
]


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where a record stands in what is imported.

    Attributes:
        file: The file; within an archive or a folder, `archive: member`.
        line: 1-based line, in files that are read by lines.
        conversation: 0-based place of the conversation in the file.
        name: What the file calls the conversation, the note or the row.
        index: 0-based place of the message in the conversation, or its id.
    """

    file: str
    line: int | None = None
    conversation: int | None = None
    name: str | None = None
    index: int | str | None = None

    def at(self, index: int | str) -> "RecordPlace":
        """Give the place of a message in this conversation."""
        return replace(self, index=index)

    def __str__(self) -> str:
        """Write it as one reads it: `chats.zip: conversations.json: conversation 3, message 5`."""
        parts = []
        if self.conversation is not None:
            parts.append(f"conversation {self.conversation}")
        if self.name is not None:
            parts.append(f"({self.name})" if parts else self.name)
        inside = " ".join(parts)
        if self.index is not None:
            inside += f"{', ' if inside else ''}message {self.index}"
        file = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{file}: {inside}" if inside else file


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that is not imported.

    Attributes:
        place: Where it stands.
        reason: Why, as one word: `unreadable` is a fault of the file, all else is as it should be.
        detail: Why, in words; "" where the reason says it.
        count: How many records it stands for.
    """

    place: RecordPlace
    reason: Reason
    detail: str = ""
    count: int = 1

    @property
    def is_fault(self) -> bool:
        """Whether the record could not be understood."""
        return self.reason == "unreadable"

    def __str__(self) -> str:
        """Write it as one line."""
        return f"{self.place}: {self.reason}{f': {self.detail}' if self.detail else ''}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """What becomes turns of one session.

    Attributes:
        session: Name of the session.
        messages: As `Engine.add` takes them, mappings all.
        places: Where each message stands, one for each.
        place: Where the conversation stands.
        at: When, for messages that do not say it.
        tags: Tags of the session.
        metadata: Metadata of the session: the original ids and the title.
    """

    session: str
    messages: Sequence[Mapping[str, Any]]
    places: Sequence[RecordPlace]
    place: RecordPlace
    at: TimeGiven | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that another memory held.

    Attributes:
        place: Where it stands.
        words: Subject, predicate and object.
        options: The keyword arguments of `Engine.assert_fact` that are known.
    """

    place: RecordPlace
    words: tuple[str, str, str]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StatedAlias:
    """Two names of one entity that another memory knew.

    Attributes:
        place: Where it stands.
        alias: The other name.
        canonical: The name that stands for both.
    """

    place: RecordPlace
    alias: str
    canonical: str


Item: TypeAlias = Conversation | StatedFact | StatedAlias | LeftOut
Items: TypeAlias = Iterator[Item]

_LABEL_MAX: Final = 200


class Unreadable(Exception):
    """A record is not what it should be; the message says how."""


def label(value: object) -> str | None:
    """Give a title or an id as metadata can hold it: on one line, not too long; None for nothing.

    A title is a convenience: half of a surrogate pair in it is no reason to lose a conversation.
    """
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return None
    text = str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return " ".join(text.replace("\0", " ").split())[:_LABEL_MAX] or None


def known(**values: object) -> dict[str, Any]:
    """Give what is known as metadata: labels of those values that are there."""
    labels = {name: label(value) for name, value in values.items()}
    return {name: each for name, each in labels.items() if each is not None}


def mapping(value: object, what: str) -> Mapping[str, Any]:
    """Give a value that has to be a JSON object.

    Raises:
        Unreadable: It is none.
    """
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is no JSON object")
    return value


def listing(value: object, what: str) -> list[Any]:
    """Give a value that has to be a JSON list.

    Raises:
        Unreadable: It is none.
    """
    if not isinstance(value, list):
        raise Unreadable(f"{what} is no JSON list")
    return value


def identifier(value: object, what: str) -> str:
    """Give an id, which is a text or a number.

    Raises:
        Unreadable: It is neither, or blank.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise Unreadable(f"{what} is no id")
    return value
