"""Where a fact applies: nowhere in particular, in one scope, or in several at once.

Several scopes are one text, `project:Atlas & trip:Azores`, in one order and one spelling, so that
they are one key: a fact in both belongs to neither of them alone.
"""

import re
from collections.abc import Iterable
from typing import Final

from smriti_es.checked_values import Place, checked_text
from smriti_es.events.errors import InvalidInput
from smriti_es.events.key_form import key_form

JOINT: Final = " & "
_SCOPE_LENGTH_MAX: Final = 200
# A joint stands before another `kind:`; "project:R & D" is one scope.
_BETWEEN: Final = re.compile(r" & (?=[^:&]*[^:&\s][^:&]*:\s*\S)")


def checked_scope(scope: str) -> str:
    """Check a scope: "", `kind:value`, where the kind is no date, or several of these.

    Returns:
        The scope in its one spelling; of several, each once, in alphabetical order.

    Raises:
        InvalidInput: It has another form, or is too long.
    """
    text = " ".join(checked_text(scope, Place("scope")).split())
    return joined_scopes(_checked_part(part) for part in scope_parts(text))


def scope_parts(scope: str) -> tuple[str, ...]:
    """Give the scopes that a scope consists of; none for ""."""
    return tuple(_BETWEEN.split(scope)) if scope else ()


def joined_scopes(parts: Iterable[str]) -> str:
    """Make one scope of several; the first spelling of each stays."""
    spelled: dict[str, str] = {}
    for part in parts:
        spelled.setdefault(key_form(part), part)
    return JOINT.join(spelled[key] for key in sorted(spelled))


def _checked_part(text: str) -> str:
    if len(text) > _SCOPE_LENGTH_MAX:
        raise InvalidInput(
            f"a scope of {len(text)} characters; the limit is {_SCOPE_LENGTH_MAX}",
            hint="Name the project or place, and say the rest in the statement.",
        )
    kind, colon, value = text.partition(":")
    if not colon or not kind.strip() or not value.strip() or kind.strip().casefold() == "date":
        raise InvalidInput(
            f"not a scope: {text!r}", hint="Write kind:value, for example project:Atlas."
        )
    return f"{kind.strip()}:{value.strip()}"
