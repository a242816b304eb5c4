"""Look for facts in front of the user, and say in which turns nobody has looked yet."""

from typing import TYPE_CHECKING

from smriti_es.cli.invocation import Invocation
from smriti_es.cli.progress_bars import progress_bar

if TYPE_CHECKING:
    from smriti_es.engine import Engine
    from smriti_es.results import Status


def find_facts(call: Invocation, engine: "Engine", *, wait: bool) -> tuple[list[int], list[str]]:
    """Look for facts in what was recorded, unless nobody wants that; turns are never lost by it.

    Args:
        call: Knows the extractor.
        engine: An open memory.
        wait: Whether to look now, also with a slow extractor.

    Returns:
        Positions of the facts, and what was left out, in words.
    """
    if call.chosen.extractor == "none":
        return [], []
    found: list[int] = []
    if wait:
        with progress_bar(call.screen) as progress:
            found = engine.extract_pending(retry=False, progress=progress)
    return found, unextracted(engine.status())


def found_in_words(count: int, *, before: str = "") -> str:
    """Say how many facts were found, or nothing when there were none."""
    return f"{before}Found {count:,} new fact{'' if count == 1 else 's'}." if count else ""


def unextracted(found: "Status") -> list[str]:
    """Say in which turns nobody has found facts yet, and what to do about it."""
    said = [
        f"extraction: the turn at position {position} failed: {reason}"
        for position, reason in found.extraction_failed
    ]
    if said:
        said.append("extraction: `smriti-es extract retry` tries them again")
    if found.extraction_behind:
        turns = waiting_turns(found.extraction_behind)
        said.append(f"extraction: {turns}: `smriti-es extract pending`")
    return said


def waiting_turns(count: int) -> str:
    """Say how many turns wait."""
    return "1 turn waits" if count == 1 else f"{count:,} turns wait"
