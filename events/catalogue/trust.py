"""Events about what may be believed and read: proposals, reviews, quarantines.

What is withheld keeps its content: a quarantine can be released. What is erased is another family.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProposed:
    """A statement, or a stated end, may not stand as it is: it waits for an owner's word.

    Recorded with the commit that made it so: a statement of a lower origin would have moved what a
    higher one said, or the memory's rules let nothing of its origin stand unread.

    Attributes:
        fact: Position of the statement or the stated end.
        against: Position of the fact that it would have moved; -1 when a rule alone holds it back.
    """

    TYPE: ClassVar[str] = "FactProposed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact", "against")

    fact: int
    against: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAdmitted:
    """Nothing holds a proposed statement, or stated end, back any longer.

    Attributes:
        fact: Its position.
        valid_to: A statement's own stated end, or None.
    """

    TYPE: ClassVar[str] = "FactAdmitted"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int
    valid_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactApproved:
    """An owner let a proposed statement, or stated end, stand as if they had said it.

    Attributes:
        fact: Its position.
        valid_to: A statement's own stated end, or None.
        reason: Why.
    """

    TYPE: ClassVar[str] = "FactApproved"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int
    valid_to: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRejected:
    """An owner turned a proposed statement, or stated end, down.

    Attributes:
        fact: Its position.
        reason: Why.
        tombstones: HMACs of what it says, by which it is known when it is extracted again.
        origin: Whose word was turned down; nobody of this origin or a lower one may bring it again.
    """

    TYPE: ClassVar[str] = "FactRejected"
    VERSION: ClassVar[int] = 2
    FACETS: ClassVar[tuple[str, ...]] = ("fact",)

    fact: int
    reason: str = ""
    tombstones: Sequence[str] = ()
    origin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """Turns, sessions and facts are withheld from every read until they are released.

    Attributes:
        ranges: Positions of what is withheld, `[first, last]` each, ascending.
        part_of: Position of the `Quarantined` that this one continues; -1 when it stands by itself.
        target: What an owner named, as `{kind: name}`.
        cascade: Whether what was derived from it went along.
        reason: Why.
    """

    TYPE: ClassVar[str] = "Quarantined"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("ranges", "part_of")

    ranges: Sequence[Sequence[int]]
    part_of: int
    target: Mapping[str, Any] = field(default_factory=dict)
    cascade: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A quarantine was lifted; what no other one holds back is read again.

    Attributes:
        quarantine: Position of the `Quarantined`.
        reason: Why.
    """

    TYPE: ClassVar[str] = "Released"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("quarantine",)

    quarantine: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextServed:
    """An answer was handed out; recorded where receipts are kept.

    It refers to the turns and facts that were in the answer, so that it can be told who was served
    what. Neither the question nor the answer is in it.

    Attributes:
        kind: `context` or `search`.
        head: Position up to which the answer knew the log.
        digest: SHA-256 of what was served, 64 hex.
        items: Positions of the turns and facts in it, best first.
    """

    TYPE: ClassVar[str] = "ContextServed"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("kind", "head")

    kind: str
    head: int
    digest: str
    items: Sequence[int] = ()
