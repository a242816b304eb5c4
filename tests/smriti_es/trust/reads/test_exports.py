"""An export tells somebody what is held on them, withheld or not, of what its owner may read."""

from collections.abc import Callable
from typing import Any

import pytest

Marks = Callable[[Any], set[str]]
# What is withheld of folk, by what it is planted in; of grove and meadow nothing is asked.
HELD_ON_FOLK = {
    *("quntrusted", "qheldturn", "qaloneturn", "qheldsession", "qalonesession", "qheldfact"),
    *("qalonefact", "qheldend", "qaloneend", "qproposed", "qproposedend", "qscoped"),
}


@pytest.mark.parametrize("others", ["whole", "excerpts"])
@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_an_export_holds_what_is_withheld_and_nothing_of_another_space_or_tenant(
    hidden: Any, marks: Marks, tmp_path: Any, form: Any, others: Any
) -> None:
    written = hidden.memory.export(tmp_path / "folk", about="folk", form=form, others=others)
    found = marks((tmp_path / "folk").read_text("utf-8"))
    assert written.names == ("folk", "qsharedname")
    # Of grove a model spoke in the same reply.
    of_others = {"qrejected"} if others == "whole" else set()
    assert found - {"qsharedname", "qleftout"} == HELD_ON_FOLK | of_others


def test_an_export_of_every_space_holds_what_is_in_them(
    opened: Any, marks: Marks, tmp_path: Any
) -> None:
    opened.memory.export(tmp_path / "folk", about="folk")
    assert "qelsewhere" in marks((tmp_path / "folk").read_text("utf-8"))
