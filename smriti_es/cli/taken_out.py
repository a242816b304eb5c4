"""What was taken out of messages, or left out, before the rest was recorded."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from smriti_es.cli.screen import Screen

if TYPE_CHECKING:
    from smriti_es.captured import SkippedTurn

_NAMED: Final = 5


def say_taken_out(screen: Screen, redacted: Mapping[str, int], stripped: int) -> None:
    """Remark what was taken out of messages, if anything was."""
    if redacted:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(redacted.items()))
        screen.note(f"credentials were replaced: {kinds}")
    if stripped:
        screen.note(f"contexts that a memory had given were taken out: {stripped:,}")


def say_kept(screen: Screen, kept: Sequence[tuple[str, str]]) -> None:
    """Remark that turns, each named by session and id, came again with other words, if any did."""
    if not kept:
        return
    named = ", ".join(f"{name} of {session}" for session, name in kept[:_NAMED])
    more = f" and {len(kept) - _NAMED:,} more" if kept[_NAMED:] else ""
    came = "1 turn came" if len(kept) == 1 else f"{len(kept):,} turns came"
    screen.note(f"{came} again with other words, and the stored text was kept: {named}{more}")


def skipped_in_words(skipped: "SkippedTurn") -> str:
    """Say why a message was not recorded."""
    pattern = "" if skipped.pattern is None else f" (it fits {skipped.pattern})"
    return f"message {skipped.index} was not recorded: {skipped.reason}{pattern}"
