"""Spans of OpenTelemetry around what takes time, for hosts that have set it up.

Only its API is used, and only where it is installed (the extra `otel`); a host that wants spans
sets up the SDK and an exporter, as for any other library. No span carries what was said, asked,
named or found: only counts, names of our own, and the class of an error. So no message of an error
is recorded either, for it may quote what it is about.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from smriti_es.version import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Figures = Mapping[str, int | float | bool | str]
_P = ParamSpec("_P")
_R = TypeVar("_R")
_LIBRARY: Final = "smriti_es"


@lru_cache(maxsize=1)
def tracer() -> "Tracer | None":
    """Give what makes spans; None where the API is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace.get_tracer(_LIBRARY, __version__)


@contextmanager
def span(name: str) -> "Iterator[Span | None]":
    """Put what is done inside into a span; an error marks it, with its class alone.

    Args:
        name: What is done, in words of ours.
    """
    made_by = tracer()
    if made_by is None:
        yield None
        return
    from opentelemetry.trace import Status, StatusCode

    with made_by.start_as_current_span(
        f"{_LIBRARY}.{name}", record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except BaseException as error:
            current.set_attribute("error.type", type(error).__name__)
            current.set_status(Status(StatusCode.ERROR))
            raise


def tell(current: "Span | None", figures: Figures) -> None:
    """Put figures into a span, if there is one that anybody looks at."""
    if current is not None and current.is_recording():
        current.set_attributes({f"{_LIBRARY}.{name}": each for name, each in figures.items()})


def traced(figures: Callable[[_R], Figures]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Put each call of a verb into a span of its name.

    Args:
        figures: Gives what the span tells of the result: counts, never content.
    """

    def around(verb: Callable[_P, _R]) -> Callable[_P, _R]:
        name = verb.__name__

        @wraps(verb)
        def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            with span(name) as current:
                result = verb(*args, **kwargs)
                tell(current, figures(result))
            return result

        return call

    return around
