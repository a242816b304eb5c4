"""Which statements may stand: what is trusted less never moves what is trusted more."""

from collections.abc import Mapping, Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.admission import Claim, admit
from smriti_es.chain import Link, StatedEnd, Statement, single_chain
from smriti_es.trust import PROFILES


def says(position: int, value: str, since: int, origin: str = "owner", **more: bool) -> Claim:
    statement = Statement(position, f"{value}{since}", value, since, since)
    return Claim(position, statement, origin, **more)


def ends(position: int, value: str, at: int, origin: str = "owner") -> Claim:
    return Claim(position, StatedEnd(value, at, at), origin)


def chain_of(claims: Sequence[Claim]) -> Mapping[int, Link]:
    statements = [each.said for each in claims if isinstance(each.said, Statement)]
    return single_chain(statements, [c.said for c in claims if isinstance(c.said, StatedEnd)])


def waiting(*claims: Claim, profile: str = "personal") -> dict[int, int]:
    return dict(admit(claims, PROFILES[profile], chain_of).against)


def test_an_agent_that_would_replace_what_the_owner_said_waits() -> None:
    assert waiting(says(1, "Pune", 10), says(2, "Rome", 20, "agent")) == {2: 1}


def test_an_agent_that_contradicts_nobody_stands() -> None:
    assert waiting(says(1, "Rome", 20, "agent"), says(2, "Oslo", 30, "agent")) == {}


def test_an_agent_may_say_what_was_before_the_owner_spoke() -> None:
    claims = [says(1, "Pune", 10), says(2, "Rome", 5, "agent")]
    assert admit(claims, PROFILES["personal"], chain_of).links[2] == Link(10, 1, None)


def test_an_agent_may_repeat_what_the_owner_said() -> None:
    assert waiting(says(1, "Pune", 10), says(2, "Pune", 20, "agent")) == {}


def test_an_agent_may_not_say_that_it_began_earlier() -> None:
    assert waiting(says(1, "Pune", 10), says(2, "Pune", 5, "agent")) == {2: 1}


def test_an_agent_may_not_end_what_the_owner_said() -> None:
    assert waiting(says(1, "Pune", 10), ends(2, "Pune", 20, "agent")) == {2: 1}


def test_a_tool_may_not_replace_what_an_agent_said() -> None:
    assert waiting(says(1, "Pune", 10, "agent"), says(2, "Rome", 20, "tool")) == {2: 1}


def test_what_an_owner_approved_counts_as_their_own_word() -> None:
    approved = says(2, "Rome", 20, "agent", approved=True)
    assert waiting(says(1, "Pune", 10), approved) == {}
    assert waiting(approved, says(3, "Oslo", 30, "agent")) == {3: 2}


def test_under_the_open_profile_everybody_may_replace_everybody() -> None:
    claims = [says(1, "Pune", 10), says(2, "Rome", 20, "untrusted")]
    assert waiting(*claims, profile="open") == {}


def test_under_the_regulated_profile_only_an_owner_stands_unread() -> None:
    claims = [says(1, "Rome", 20, "agent"), says(2, "Pune", 10)]
    assert waiting(*claims, profile="regulated") == {1: -1}


_CLAIMS = [
    says(1, "Pune", 10),
    says(2, "Rome", 20, "agent"),
    says(3, "Oslo", 5, "agent"),
    says(4, "Pune", 15, "tool"),
    ends(5, "Pune", 30, "untrusted"),
]


def test_what_stands_does_not_depend_on_the_order_of_arrival() -> None:
    found = {tuple(sorted(waiting(*order).items())) for order in permutations(_CLAIMS)}
    assert found == {((2, 1), (5, 1))}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]),
            st.integers(0, 6),
            st.sampled_from(["owner", "agent", "tool", "untrusted"]),
        ),
        max_size=8,
    )
)
def test_no_statement_of_a_higher_origin_is_where_it_would_not_be_by_itself(
    said: list[tuple[str, int, str]],
) -> None:
    claims = [says(at, value, since, origin) for at, (value, since, origin) in enumerate(said)]
    admission = admit(claims, PROFILES["personal"], chain_of)
    for ceiling in ("owner", "agent", "tool", "untrusted"):
        ranks = PROFILES["personal"].ranks
        above = [c for c in claims if ranks[c.origin] <= ranks[ceiling]]
        alone = admit(above, PROFILES["personal"], chain_of)
        if ceiling == "owner":
            assert not alone.against
        moved = {at for at, link in alone.links.items() if admission.links[at] != link}
        assert moved == set()


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_claim_either_stands_or_waits(profile: str) -> None:
    admission = admit(_CLAIMS, PROFILES[profile], chain_of)
    statements = {each.position for each in _CLAIMS if isinstance(each.said, Statement)}
    assert set(admission.links) | (set(admission.against) & statements) == statements
    assert set(admission.links) & set(admission.against) == set()
