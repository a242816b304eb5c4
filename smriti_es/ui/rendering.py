"""Templates: everything that they print is escaped, and what would act on a reader is spelled out.

What a memory holds is what anybody said. Whatever a template prints passes `shown` first, so that
control characters, and those that turn the direction of reading, are seen and do nothing.
"""

import json
import re
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from smriti_es.cli.screen import plain
from smriti_es.cli.shown_times import shown_day, shown_time
from smriti_es.forms.fact_forms import with_times

# Marks of direction, and characters without a width, that do nothing to a terminal. Those that join
# letters and emoji (U+200C, U+200D) are part of how people write.
_UNSEEN: Final = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u2060-\u2064\ufeff\U000e0000-\U000e007f]"
)
_LONG: Final = 100_000


def shown(value: Any) -> Any:
    """Make what a template prints harmless to a reader; escaping is done afterwards."""
    if value is None:
        return ""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    spelled = _UNSEEN.sub(_spelled, plain(value))
    return spelled if len(spelled) <= _LONG else f"{spelled[:_LONG]}… ({len(spelled):,} characters)"


def as_json(value: Any) -> str:
    """Write a value as JSON over several lines."""
    told = with_times(value) if isinstance(value, dict) else value
    return json.dumps(told, ensure_ascii=False, indent=2, default=str)


def _spelled(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("smriti_es.ui"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"json": as_json, "time": shown_time, "day": shown_day}
    return made


_ENVIRONMENT: Final = _environment()


def render(template: str, **values: Any) -> str:
    """Fill a template in."""
    return _ENVIRONMENT.get_template(template).render(**values)
