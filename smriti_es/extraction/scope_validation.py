"""A scope counts only where the words that state it are there to be seen.

A wrong scope hides a fact from those it is for, or shows it to those it is not for. So the value
has to stand in the turns and in the statement, near a word that says what kind of scope it is; a
scope that does not is put to the model once more. What it then calls global stays out: a scope is
never dropped in silence.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from smriti_es.events.errors import ExtractionError, InvalidInput
from smriti_es.extraction.contract import ExtractedFact

# What became of the scopes, from the best to the worst: all were fine; the second reply mended
# them; it mended them and got others wrong; it left some out; some are wrong still; no second
# reply could be read; none came.
ScopeOutcome = Literal[
    "not_needed",
    "corrected",
    "corrected_with_rejections",
    "retry_completed",
    "rejected",
    "retry_parse_failed",
    "retry_failed",
]

WARNING = (
    "Scoped facts without evidence for their scope were left out; nothing was made global. "
    "The turns themselves are kept."
)
LIMITATION = (
    "The check is of words near one another. It does not prove that the clause applies to the fact."
)
_NEAR = 80  # characters, from start to start
_QUOTES = ('""', "''", "\u201c\u201d", "\u2018\u2019")
_ORGANIZATION = ("organization", "organisation", "org")
_MARKERS: Mapping[str, Sequence[str]] = {
    "organization": _ORGANIZATION,
    "organisation": _ORGANIZATION,
    "location": ("location", "city", "in", "at", "from"),
}


@dataclass(frozen=True, slots=True)
class RejectedScope:
    """A fact whose scope has no evidence.

    Attributes:
        statement: The fact's sentence.
        scope: What was claimed.
        subject: Of the fact.
        predicate: Of the fact.
        object: Of the fact.
        reason: What is missing.
    """

    statement: str
    scope: str
    subject: str
    predicate: str
    object: str
    reason: str


@dataclass(frozen=True, slots=True)
class ScopeReport:
    """What became of the scopes of one reply.

    Attributes:
        outcome: In one word.
        attempts: Replies that were read, 1 or 2.
        accepted_before: Facts whose scope was fine at first.
        accepted: Facts whose scope was fine in the end.
        first_invalid: What was wrong with the first reply.
        second_invalid: What was wrong with the second.
        unresolved: Those of the first that no valid scoped fact replaced; they are left out.
        error: Why no second reply came, or "".
    """

    outcome: ScopeOutcome
    attempts: int
    accepted_before: int
    accepted: int
    first_invalid: tuple[RejectedScope, ...] = ()
    second_invalid: tuple[RejectedScope, ...] = ()
    unresolved: tuple[RejectedScope, ...] = ()
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give everything there is to know, as JSON."""
        return {
            "outcome": self.outcome,
            "attempts": self.attempts,
            "retry_used": self.attempts > 1,
            "accepted_before_scope": self.accepted_before,
            "accepted_final": self.accepted,
            "first_invalid": [asdict(each) for each in self.first_invalid],
            "second_invalid": [asdict(each) for each in self.second_invalid],
            "unresolved_candidates": [asdict(each) for each in self.unresolved],
            "rejected_candidates": len(self.second_invalid),
            "validation_rejections": len(self.first_invalid) + len(self.second_invalid),
            "replacement_matches": len(self.first_invalid) - len(self.unresolved),
            "facts_dropped_after_retry": len(self.unresolved),
            "retry_error": self.error,
            "semantic_scope_guarantee": False,
            "limitation": LIMITATION,
        }


def normal_scope(scope: str) -> str:
    """Give a scope its one form: `kind:value` in NFC, case-folded, blanks collapsed, unquoted.

    What is no `kind:value` comes back with its blanks collapsed, for `scope_problem` to refuse.

    Raises:
        InvalidInput: It is no text.
    """
    if not isinstance(scope, str):
        raise InvalidInput(
            f"a scope is text, not {type(scope).__name__}",
            hint="Give it like project:apollo, or leave it out.",
            field="scope",
        )
    kind, colon, value = _folded(scope).partition(":")
    return f"{_unquoted(kind.strip())}{colon}{_unquoted(value.strip())}"


def scope_problem(scope: str, *, source: str, statement: str) -> str:
    """Say what speaks against a scope.

    Args:
        scope: `kind:value`, or "" for none.
        source: All that was said.
        statement: The fact's sentence.

    Returns:
        What is missing; "" when nothing is.

    Raises:
        InvalidInput: The scope is no text.
    """
    normal = normal_scope(scope)
    if not normal:
        return ""
    kind, _, value = normal.partition(":")
    if not kind or not value:
        return "a scope has the form kind:value"
    if kind == "date":
        return "a date is not a scope"
    for name, text in (("turns", _folded(source)), ("statement", _folded(statement))):
        places = _places(value, text)
        if not places:
            return f"its value does not stand in the {name}"
        if not _marked(kind, places, text):
            return f"no word near its value in the {name} says that it is a {kind}"
    return ""


def validate_scopes(
    facts: Iterable[ExtractedFact], *, source: str
) -> tuple[tuple[ExtractedFact, ...], tuple[RejectedScope, ...]]:
    """Part facts into those whose scope has its evidence, and the others with what they lack."""
    valid, rejected = [], []
    for fact in facts:
        problem = scope_problem(fact.scope, source=source, statement=fact.statement)
        if problem:
            rejected.append(_rejected(fact, problem))
        else:
            valid.append(fact)
    return tuple(valid), tuple(rejected)


SecondReply = Callable[[Sequence[RejectedScope]], Sequence[ExtractedFact] | None]


def correct_scopes(
    facts: Sequence[ExtractedFact], *, source: str, ask_again: SecondReply | None
) -> tuple[tuple[ExtractedFact, ...], ScopeReport]:
    """Keep the facts whose scope has its evidence; ask once more about the others.

    Facts that were fine at first stay, also when the second reply leaves them out.

    Args:
        facts: Of the first reply.
        source: All that was said.
        ask_again: Gives the facts of a second reply to what was rejected, or None when it cannot be
            read; may raise ExtractionError. None: nobody is asked.

    Returns:
        The facts that stand, and what became of the scopes.
    """
    valid, first = validate_scopes(facts, source=source)
    report = ScopeReport("not_needed", 1, len(valid), len(valid), first)
    if not first:
        return valid, report
    report = replace(report, outcome="rejected", unresolved=first)
    if ask_again is None:
        return valid, report
    report = replace(report, attempts=2)
    try:
        second_facts = ask_again(first)
    except ExtractionError as error:
        return valid, replace(report, outcome="retry_failed", error=str(error))
    if second_facts is None:
        return valid, replace(report, outcome="retry_parse_failed")
    replacements, second = _replacements(second_facts, first, source)
    stated = {_identity(fact) for fact in replacements}
    final = (*(fact for fact in valid if _identity(fact) not in stated), *replacements)
    settled = {_triple(fact) for fact in replacements if fact.scope}
    unresolved = tuple(each for each in first if _triple(each) not in settled)
    return final, replace(
        report,
        outcome=_outcome(second, unresolved),
        accepted=len(final),
        second_invalid=second,
        unresolved=unresolved,
    )


def _replacements(
    facts: Sequence[ExtractedFact], first: Sequence[RejectedScope], source: str
) -> tuple[tuple[ExtractedFact, ...], tuple[RejectedScope, ...]]:
    """Check a second reply; what was scoped before may not become global."""
    scoped = {_triple(each) for each in first}
    widened = [fact for fact in facts if not fact.scope and _triple(fact) in scoped]
    valid, rejected = validate_scopes(
        (fact for fact in facts if not any(fact is each for each in widened)), source=source
    )
    refused = (_rejected(fact, "its scope was dropped instead of shown") for fact in widened)
    return valid, (*rejected, *refused)


def _outcome(second: Sequence[RejectedScope], unresolved: Sequence[RejectedScope]) -> ScopeOutcome:
    if unresolved:
        return "rejected" if second else "retry_completed"
    return "corrected_with_rejections" if second else "corrected"


def _rejected(fact: ExtractedFact, reason: str) -> RejectedScope:
    return RejectedScope(
        fact.statement, fact.scope, fact.subject, fact.predicate, fact.object, reason
    )


def _triple(of: ExtractedFact | RejectedScope) -> tuple[str, str, str]:
    return _folded(of.subject), _folded(of.predicate), _folded(of.object)


def _identity(fact: ExtractedFact) -> tuple[object, ...]:
    when = (fact.valid_from, fact.valid_to, fact.time_text, fact.ends)
    return (*_triple(fact), fact.scope, fact.statement, when)


def _places(value: str, text: str) -> list[int]:
    """Where a word or phrase stands in a text, as a whole."""
    phrase = rf"(?<!\w){re.escape(value)}(?!\w)"
    return [match.start() for match in re.finditer(phrase, text)]


def _marked(kind: str, places: Iterable[int], text: str) -> bool:
    """Whether a word that says the kind stands near one of the places."""
    markers = _MARKERS.get(kind, (kind.replace("_", " "),))
    marks = sorted(place for marker in markers for place in _places(marker, text))
    nearest = ((place, bisect_left(marks, place - _NEAR)) for place in places)
    return any(at < len(marks) and marks[at] <= place + _NEAR for place, at in nearest)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] + value[-1] in _QUOTES
    return value[1:-1].strip() if quoted else value


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
