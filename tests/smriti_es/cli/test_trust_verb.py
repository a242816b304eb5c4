"""`trust` and `init --trust`: whose word may move whose."""

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def test_a_memory_is_founded_with_a_profile_of_trust(call: Call) -> None:
    assert call("init", "--json").json["trust"] == "personal"
    assert call("init", "--db", "strict.db", "--trust", "regulated", "--json").json["trust"] == (
        "regulated"
    )


def test_a_memory_is_not_founded_anew_with_another_profile(call: Call) -> None:
    call("init", "--trust", "regulated")
    assert call("init", "--trust", "regulated").code == 0
    done = call("init", "--trust", "open")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: this memory has the profile of trust 'regulated', not 'open'\n"
        "hint: Leave it out, or change it with `smriti-es trust`.\n"
    )


def test_a_profile_that_there_is_not_makes_no_memory(call: Call, tmp_path: Any) -> None:
    done = call("init", "--trust", "lax")
    assert (done.code, done.err.splitlines()) == (
        2,
        ["error: no profile of trust 'lax'", "hint: There are: open, personal, regulated."],
    )
    assert list(tmp_path.iterdir()) == []


def test_trust_shows_the_profile_that_holds(call: Call) -> None:
    call("init")
    assert call("trust").out == "personal\n"
    assert call("trust", "--json").json == {"trust": "personal"}


def test_trust_lets_another_profile_hold_for_what_was_said_before(call: Call) -> None:
    call("assert", "user", "lives_in", "Pune", "--from", "2024-01-01")
    call("assert", "user", "lives_in", "Rome", "--from", "2026-03-01", "--origin", "agent")
    done = call("trust", "open", "--reason", "only I write here")
    assert (done.code, done.out) == (
        0,
        "The profile open holds; what was said before is weighed anew.\n",
    )
    (fact,) = call("facts", "user", "--json").lines
    assert (fact["object"], call("trust").out) == ("Rome", "open\n")


def test_trust_says_whether_it_changed_anything(call: Call) -> None:
    head = call("init", "--json").json["events"]
    first, second = call("trust", "open", "--json"), call("trust", "open", "--json")
    assert first.json == {"trust": "open", "changed": True, "head": head}
    assert second.json == {"trust": "open", "changed": False, "head": head}
    assert call("trust", "open").out == "Nothing new: the profile open holds already.\n"


def test_trust_makes_no_memory(call: Call, tmp_path: Any) -> None:
    assert [call("trust").code, call("trust", "open").code] == [2, 2]
    assert list(tmp_path.iterdir()) == []
