"""Take credentials out of text: before it is kept, and before it is sent anywhere.

What goes is the credential alone; a placeholder says what stood there, so that "the password is
[redacted: password]" still tells that there was one. Redacting twice changes nothing. Source:
design page on trust, "Secrets and egress".
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final, TypeVar

from smriti_es.events.errors import InvalidInput
from smriti_es.secret_pairs import (
    OPTION,
    PAIR,
    PAIR_HINTS,
    PAIR_MARKS,
    kind_of_pair,
    secret_in_pair,
    secret_under,
)
from smriti_es.secret_patterns import TOKEN_PATTERNS, SecretPattern
from smriti_es.text_walk import map_texts

_LONG_RUN: Final = re.compile(r"\S{16}")
# A name of two characters, a colon, and a value of four.
_SHORTEST: Final = 7
_KIND: Final = re.compile(r"[^\W_][\w \-]{0,39}")
_E = TypeVar("_E")

# Kind of credential -> how many were replaced.
Redacted = Counter[str]


class Redactor:
    """Replaces credentials by placeholders such as `[redacted: api key]`; safe to share by threads.

    Args:
        patterns: Further patterns: what the credential is called -> a regular expression. What is
            replaced is its group `secret`, or the whole match where it has none.

    Raises:
        InvalidInput: A name or an expression cannot be used.
    """

    def __init__(self, patterns: Mapping[str, str] | None = None) -> None:
        own = [_own_pattern(kind, written) for kind, written in (patterns or {}).items()]
        self._patterns = (*own, *TOKEN_PATTERNS)
        self._hints = [(hint, row) for row in self._patterns if not row.long for hint in row.hints]
        self._long_hints = [(hint, row) for row in self._patterns if row.long for hint in row.hints]
        self._own = {row.kind for row in own}

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it looks for, in words, sorted."""
        pairs = {"api key", "password", "secret", "token"}
        return tuple(sorted({pattern.kind for pattern in self._patterns} | pairs))

    def text(self, text: str, found: Redacted | None = None) -> str:
        """Replace every credential in a text.

        Args:
            text: Any text.
            found: Is told what was replaced.

        Returns:
            The text; the same object when nothing was found.

        Cost: Linear in the text; a few microseconds for a short one without credentials.
        """
        if len(text) < _SHORTEST and not self._own:
            return text
        found = Counter() if found is None else found
        lowered = text.lower()
        likely = {row.kind for hint, row in self._hints if hint in lowered}
        if _LONG_RUN.search(text):
            likely |= {row.kind for hint, row in self._long_hints if hint in lowered}
        likely |= self._own
        if likely:
            for row in self._patterns:
                if row.kind in likely:
                    text = row.regex.sub(partial(_replaced, row.kind, found), text)
        if _has(PAIR_HINTS, lowered) and _has(PAIR_MARKS, lowered):
            text = PAIR.sub(partial(_replaced_value, found), text)
            text = OPTION.sub(partial(_replaced_value, found), text)
        return text

    def value(self, value: Any, found: Redacted | None = None) -> Any:
        """Replace every credential in a value of texts, lists and maps, keys included.

        A map's value that stands under a name such as `password` is replaced whole.

        Returns:
            A copy, or the same object when nothing was found.
        """
        counted = Counter() if found is None else found
        return map_texts(
            value,
            lambda text: self.text(text, counted),
            under=lambda name, inner: _replaced_under(name, inner, counted),
        )

    def fields_of(self, value: _E, found: Redacted | None = None) -> _E:
        """Replace every credential in the fields of a dataclass, such as an event.

        Where it is a statement of fact whose predicate announces a credential, the object is one,
        in the sentence that says it, too.

        Returns:
            A copy, or the same object when nothing was found.
        """
        counted = Counter() if found is None else found
        whole: Any = value
        given = {each.name: getattr(value, each.name) for each in fields(whole)}
        clean = {name: self.value(each, counted) for name, each in _stated(given, counted).items()}
        changes = {name: each for name, each in clean.items() if each is not given[name]}
        changed: _E = replace(whole, **changes) if changes else value
        return changed


def placeholder(kind: str) -> str:
    """Write what stands in the place of a credential."""
    return f"[redacted: {kind}]"


def redactor_of(wanted: bool | Mapping[str, str]) -> Redactor | None:  # noqa: FBT001  as it was given
    """Make what `Engine.open(redact=...)` asks for.

    Raises:
        InvalidInput: It is neither a boolean nor a map of patterns.
    """
    if isinstance(wanted, Mapping):
        return Redactor(wanted)
    if not isinstance(wanted, bool):
        raise InvalidInput(
            f"redact is of type {type(wanted).__name__}",
            hint='Give True, False, or further patterns as in {"badge": r"BN-[0-9]{6}"}.',
            field="redact",
        )
    return Redactor() if wanted else None


def _has(pieces: Sequence[str], text: str) -> bool:
    for piece in pieces:  # noqa: SIM110  a generator would cost more than the search
        if piece in text:
            return True
    return False


def _own_pattern(kind: object, written: object) -> SecretPattern:
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise InvalidInput(
            f"redact: {kind!r} cannot name a credential",
            hint="Give up to 40 letters, digits, blanks and hyphens.",
            field="redact",
        )
    return SecretPattern(kind, (), compiled(written, f"redact: the pattern of {kind!r}", "redact"))


def compiled(written: object, what: str, field: str) -> re.Pattern[str]:
    """Compile an expression that a caller wrote.

    Raises:
        InvalidInput: It is no regular expression, or fits everywhere.
    """
    try:
        expression = re.compile(written, re.MULTILINE) if isinstance(written, str) else None
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidInput(f"{what} is no regular expression: {error}", field=field) from error
    if expression is None:
        raise InvalidInput(
            f"{what} is of type {type(written).__name__}", hint="Give it as text.", field=field
        )
    if expression.search(""):
        raise InvalidInput(
            f"{what} fits an empty text, and so everywhere",
            hint="Let it ask for at least one character.",
            field=field,
        )
    return expression


def _replaced(kind: str, found: Redacted, match: re.Match[str]) -> str:
    span = match.span("secret") if "secret" in match.re.groupindex else match.span()
    if span[0] == span[1]:
        return match[0]
    return _with_placeholder(match, span, kind, found)


def _replaced_value(found: Redacted, match: re.Match[str]) -> str:
    span = secret_in_pair(match)
    if span is None:
        return match[0]
    name = match["strong"] or match["weak"]
    return _with_placeholder(match, span, kind_of_pair(name), found)


def _with_placeholder(
    match: re.Match[str], span: tuple[int, int], kind: str, found: Redacted
) -> str:
    found[kind] += 1
    start = match.start()
    return f"{match[0][: span[0] - start]}{placeholder(kind)}{match[0][span[1] - start :]}"


def _stated(given: dict[str, Any], found: Redacted) -> dict[str, Any]:
    """Replace the object of a fact whose predicate announces a credential."""
    predicate, stated = given.get("predicate"), given.get("object")
    if not isinstance(predicate, str) or not isinstance(stated, str):
        return given
    instead = _replaced_under(predicate, stated, found)
    if instead is stated:
        return given
    replaced = {**given, "object": instead}
    if "statement" in given:
        whole_word = rf"(?<!\w){re.escape(stated)}(?!\w)"
        replaced["statement"] = re.sub(whole_word, instead, given["statement"])
    return replaced


def _replaced_under(name: str, value: Any, found: Redacted) -> Any:
    if value is None or isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return value
    if not secret_under(name, str(value)):
        return value
    kind = kind_of_pair(name)
    found[kind] += 1
    return placeholder(kind)
