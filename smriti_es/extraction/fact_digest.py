"""A fact as a model is shown it when facts are compared or summed up."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

FACTS_BEGIN, FACTS_END = "<<<FACTS", "FACTS>>>"


@dataclass(frozen=True, slots=True)
class FactDigest:
    """What matters of a fact to whoever compares it with others.

    Attributes:
        statement: A sentence that stands by itself.
        subject: Whom or what it is about.
        predicate: snake_case.
        object: The value.
        scope: Where it applies, `kind:value`; "" for everywhere.
        valid_from: When it began to hold, as it is to be shown; None: not known.
        valid_to: When it ceased to hold, as it is to be shown; None: it holds.
    """

    statement: str
    subject: str
    predicate: str
    object: str
    scope: str = ""
    valid_from: str | None = None
    valid_to: str | None = None


def listed(facts: Iterable[FactDigest]) -> str:
    """Write facts for a prompt: numbered from 0, one JSON object a line, between two marks.

    A statement cannot end its own line, so it can forge neither a fact nor the closing mark.
    """
    lines = (json.dumps(_members(at, fact), ensure_ascii=False) for at, fact in enumerate(facts))
    return "\n".join([FACTS_BEGIN, *lines, FACTS_END])


def _members(number: int, fact: FactDigest) -> dict[str, object]:
    return {
        "number": number,
        "statement": fact.statement,
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        # Said outright: an empty scope reads as a forgotten one.
        "scope": fact.scope or "(no scope: applies everywhere)",
        "from": fact.valid_from or "(unknown)",
        "until": fact.valid_to or "(present)",
    }
