"""Which predicates hold one value at a time: data, not code that decides.

What is found here is written into each statement when it is recorded, so that changing this table
never rewrites the past.
"""

from collections.abc import Collection
from typing import Final

from smriti_es.checked_values import Place, checked_text
from smriti_es.events.errors import InvalidInput
from smriti_es.events.key_form import key_form

SINGLE_VALUED: Final = frozenset(
    {
        "aged",
        "assigned_to",
        "birthday",
        "commutes_by",
        "current_city",
        "current_job",
        "diet",
        "drives",
        "earns",
        "employed_by",
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
        "primary_programming_language",
        "state",
        "status",
        "studies_at",
        "uses_phone",
        "weighs",
        "works_at",
    }
)
DIGEST_PREFIX: Final = "digest:"
_SCOPE_LENGTH_MAX: Final = 200
# Every predicate that begins so: a favourite colour, one's attitude to soup.
SINGLE_PREFIXES: Final = ("favourite_", "attitude_to:", "primary_", DIGEST_PREFIX)


def predicate_form(predicate: str) -> str:
    """Bring a predicate into the form in which it is compared: snake_case, one spelling."""
    form = "_".join(key_form(predicate).replace("-", " ").split())
    return "favourite_" + form.removeprefix("favorite_") if form.startswith("favorite_") else form


def is_single(predicate: str, also: Collection[str] = ()) -> bool:
    """Tell whether a predicate in its form holds one value at a time.

    Args:
        predicate: The predicate.
        also: Further ones, of this memory's own.
    """
    return predicate in SINGLE_VALUED or predicate in also or predicate.startswith(SINGLE_PREFIXES)


def checked_scope(scope: str) -> str:
    """Check a scope: "" or `kind:value`, where the kind is no date.

    Raises:
        InvalidInput: It has another form, or is too long.
    """
    text = " ".join(checked_text(scope, Place("scope")).split())
    if len(text) > _SCOPE_LENGTH_MAX:
        raise InvalidInput(
            f"a scope of {len(text)} characters; the limit is {_SCOPE_LENGTH_MAX}",
            hint="Name the project or place, and say the rest in the statement.",
        )
    if not text:
        return ""
    kind, colon, value = text.partition(":")
    if not colon or not kind.strip() or not value.strip() or kind.strip().casefold() == "date":
        raise InvalidInput(
            f"not a scope: {text!r}", hint="Write kind:value, for example project:Atlas."
        )
    return f"{kind.strip()}:{value.strip()}"
