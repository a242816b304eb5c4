import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.projections import places as module
from smriti_es.projections.places import Places


@given(
    there=st.sets(st.integers(0, 60), max_size=40),
    wanted=st.lists(st.integers(0, 200), max_size=60),
    few=st.booleans(),
)
def test_every_position_stands_where_it_is_in_the_array(
    there: set[int], wanted: list[int], few: bool
) -> None:
    positions = np.array(sorted(there), np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WORTH_A_TABLE", 1_000 if few else 0)
        places, found = Places(positions).of(np.array(wanted, np.int64))
    assert found.tolist() == [position in there for position in wanted]
    assert positions[places[found]].tolist() == [each for each in wanted if each in there]
