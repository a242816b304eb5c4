"""Which predicates hold one value at a time: data of each memory, not code that decides.

A memory is founded with a registry, which stands in its first event and never changes. What it says
of a predicate is written into each statement when that is recorded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from smriti_es.checked_values import Place, checked_label
from smriti_es.events.errors import InvalidInput
from smriti_es.events.key_form import key_form

DIGEST_PREFIX: Final = "digest:"
# Stands at the end of an entry that means every predicate which begins so.
_ANY_ENDING: Final = "*"
_NAME_LENGTH_MAX: Final = 200

# What memories go by that were founded before the registry was recorded. It is never changed: what
# a new memory is founded with is `SHIPPED`, and a change of that reaches no memory there is.
UNRECORDED: Final = (
    "aged",
    "assigned_to",
    "attitude_to:*",
    "birthday",
    "commutes_by",
    "current_city",
    "current_job",
    "diet",
    "drives",
    "earns",
    "employed_by",
    "favourite_*",
    "job_title",
    "lives_in",
    "located_in",
    "location",
    "married_to",
    "named",
    "opens",
    "owner",
    "partner",
    "preferred_theme",
    "primary_*",
    "primary_programming_language",
    "state",
    "status",
    "studies_at",
    "uses_phone",
    "weighs",
    "works_at",
)
SHIPPED: Final = UNRECORDED


@dataclass(frozen=True, slots=True)
class SingleValued:
    """A registry of predicates that hold one value at a time.

    Attributes:
        entries: Predicates in their form, sorted; `favourite_*` means all that begin so.
        names: Those that are meant by name.
        beginnings: How the others begin.
    """

    entries: tuple[str, ...]
    names: frozenset[str]
    beginnings: tuple[str, ...]

    @classmethod
    def of(cls, entries: Iterable[str]) -> Self:
        """Make a registry of entries as they are recorded."""
        listed = tuple(sorted(set(entries)))
        names = frozenset(each for each in listed if not each.endswith(_ANY_ENDING))
        beginnings = tuple(each[: -len(_ANY_ENDING)] for each in listed if each not in names)
        return cls(listed, names, beginnings)

    def holds_one(self, predicate: str) -> bool:
        """Tell whether a predicate in its form holds one value at a time."""
        return predicate in self.names or predicate.startswith(self.beginnings)

    def covers(self, entry: str) -> bool:
        """Tell whether an entry says nothing that this registry does not say already."""
        return entry in self.names or entry.removesuffix(_ANY_ENDING).startswith(self.beginnings)


def checked_entries(given: Sequence[str]) -> list[str]:
    """Check predicates that hold one value at a time, in any spelling; `favourite_*` means all so.

    Raises:
        InvalidInput: It is no list, or something in it is not a predicate.
    """
    if not isinstance(given, (list, tuple, set, frozenset)):
        raise InvalidInput(
            "single_valued takes a list",
            hint="Write single_valued=['home_airport'].",
            field="single_valued",
        )
    return [_checked_entry(each) for each in given]


def _checked_entry(given: str) -> str:
    text = checked_label(given, Place("single_valued"), _NAME_LENGTH_MAX)
    open_ended = text.endswith(_ANY_ENDING)
    # A letter stands in for the ending, so that a separator before it is not trimmed.
    form = predicate_form(text[:-1] + "x")[:-1] if open_ended else predicate_form(text)
    if not form or _ANY_ENDING in form or form.startswith(DIGEST_PREFIX):
        raise InvalidInput(
            f"not a predicate: {given!r}",
            hint="Write words, as in home_airport, or preferred_* for all that begin so.",
            field="single_valued",
        )
    return form + _ANY_ENDING if open_ended else form


def predicate_form(predicate: str) -> str:
    """Bring a predicate into the form in which it is compared: snake_case, one spelling."""
    form = "_".join(key_form(predicate).replace("-", " ").split())
    return "favourite_" + form.removeprefix("favorite_") if form.startswith("favorite_") else form
