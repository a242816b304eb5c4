"""What was taken out of messages before they were recorded, for people and for programs."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from smriti_es.cli.screen import Screen

if TYPE_CHECKING:
    from smriti_es.captured import SkippedTurn
    from smriti_es.results import Added


def taken_out_form(added: "Sequence[Added]") -> dict[str, Any]:
    """Count what was taken out over several calls."""
    redacted: Counter[str] = sum((Counter(each.redacted) for each in added), Counter())
    return {
        "redacted": dict(sorted(redacted.items())),
        "stripped": sum(each.stripped for each in added),
    }


def say_taken_out(screen: Screen, added: "Sequence[Added]") -> None:
    """Remark what was taken out, if anything was."""
    counted = taken_out_form(added)
    if counted["redacted"]:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in counted["redacted"].items())
        screen.note(f"credentials were replaced: {kinds}")
    if counted["stripped"]:
        screen.note(f"contexts that a memory had given were taken out: {counted['stripped']:,}")


def skipped_in_words(skipped: "SkippedTurn") -> str:
    """Say why a message was not recorded."""
    pattern = "" if skipped.pattern is None else f" (it fits {skipped.pattern})"
    return f"message {skipped.index} was not recorded: {skipped.reason}{pattern}"
