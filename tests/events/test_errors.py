"""Every error is one of one tree and says what to do."""

import copy
import inspect
import pickle
import re

import pytest

from smriti_es.events import errors
from smriti_es.events.errors import (
    ChainBroken,
    Conflict,
    ConflictError,
    InvalidInput,
    MissingExtra,
    NotFound,
    SmritiError,
    StorageBusy,
    StorageUnavailable,
)

ALL = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, SmritiError)
]


def drawn() -> dict[str, str]:
    """The tree in the module's docstring, as the parent of each name."""
    parents: dict[str, str] = {}
    above = ["SmritiError"]
    for stem, name in re.findall(
        r"^    ([\u2502\u251c\u2514\u2500 ]+)(\w+)", errors.__doc__ or "", re.M
    ):
        depth = len(stem) // 4
        parents[name] = above[depth - 1]
        above[depth:] = [name]
    return parents


def test_the_tree_is_what_the_module_draws() -> None:
    assert drawn() == {kind.__name__: kind.__bases__[0].__name__ for kind in ALL[1:]}


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [(InvalidInput, ValueError), (NotFound, LookupError), (MissingExtra, ImportError)],
)
def test_an_error_that_python_has_a_name_for_can_be_caught_by_it(
    kind: type[SmritiError], builtin: type[Exception]
) -> None:
    with pytest.raises(builtin):
        raise kind("what")


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: str(kind.__name__))
def test_no_error_is_one_of_a_builtin_without_need(kind: type[SmritiError]) -> None:
    allowed = {SmritiError, Exception, BaseException, object, ValueError, LookupError, ImportError}
    assert {base for base in kind.__mro__ if base not in ALL} <= allowed


def test_only_what_may_work_later_is_retryable() -> None:
    assert {kind for kind in ALL if kind.retryable} == {ConflictError, StorageBusy}


@pytest.mark.parametrize("kind", [k for k in ALL if k.hint], ids=lambda kind: str(kind.__name__))
def test_a_hint_is_one_line_that_ends_with_a_full_stop(kind: type[SmritiError]) -> None:
    assert re.fullmatch(r"[A-Z].*\.", kind("what").hint)


def test_an_error_carries_its_message_its_values_and_its_hint() -> None:
    error = ChainBroken("broken at 4", hint="Look there.", position=4, found=None)
    assert (str(error), error.hint) == ("broken at 4", "Look there.")
    assert (error.position, error.found) == (4, None)


def test_a_hint_of_its_own_is_kept_for_one_error_alone() -> None:
    assert StorageBusy("what", hint="Wait.").hint == "Wait."
    assert StorageBusy("what").hint == StorageBusy.hint != "Wait."
    assert Conflict("what").hint == ""


def test_a_value_that_an_error_does_not_carry_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="position"):
        assert StorageUnavailable("what").position


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: str(kind.__name__))
def test_an_error_survives_being_copied_and_sent_to_another_process(
    kind: type[SmritiError],
) -> None:
    error = kind("what", hint="Do this.", position=4)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is kind
        assert (str(again), again.hint, again.position) == ("what", "Do this.", 4)
