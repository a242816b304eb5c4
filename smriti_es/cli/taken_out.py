"""What was taken out of messages, or left out, before the rest was recorded."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from smriti_es.cli.screen import Screen

if TYPE_CHECKING:
    from smriti_es.captured import SkippedTurn
    from smriti_es.results import Added

_NAMED: Final = 5


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


def kept_form(added: "Sequence[Added]") -> list[dict[str, str]]:
    """List the turns that came again with other words, over several calls."""
    return [{"session": each.session, "id": name} for each in added for name in each.kept]


def say_kept(screen: Screen, added: "Sequence[Added]") -> None:
    """Remark that turns came again with other words, if any did."""
    kept = kept_form(added)
    if not kept:
        return
    named = ", ".join(f"{each['id']} of {each['session']}" for each in kept[:_NAMED])
    more = f" and {len(kept) - _NAMED:,} more" if kept[_NAMED:] else ""
    came = "1 turn came" if len(kept) == 1 else f"{len(kept):,} turns came"
    screen.note(f"{came} again with other words, and the stored text was kept: {named}{more}")


def skipped_in_words(skipped: "SkippedTurn") -> str:
    """Say why a message was not recorded."""
    pattern = "" if skipped.pattern is None else f" (it fits {skipped.pattern})"
    return f"message {skipped.index} was not recorded: {skipped.reason}{pattern}"
