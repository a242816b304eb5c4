"""`backup` and `restore` on the command line."""

from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def test_a_backup_is_made_and_restored_elsewhere(call: Call) -> None:
    call("add", "The kettle is red.")
    done = call("backup", "monday.db")
    assert done.code == 0
    assert done.out.startswith("Backed up to monday.db, ")
    assert "tenant default: 4 events, head " in done.out
    again = call("restore", "monday.db", "--db", "again.db")
    assert again.out.startswith("Restored to again.db, ")
    assert "The kettle is red." in call("search", "kettle", "--db", "again.db").out


def test_a_backup_in_json_names_its_logs(call: Call) -> None:
    call("add", "The kettle is red.")
    made = call("backup", "monday.db", "--json").json
    assert (made["path"], [each["tenant"] for each in made["logs"]]) == ("monday.db", ["default"])


def test_nothing_is_replaced_and_the_error_says_what_to_do(call: Call) -> None:
    call("add", "The kettle is red.")
    call("backup", "monday.db")
    done = call("backup", "monday.db")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "error: there is a file at monday.db",
        "hint: Name another, or move it away.",
    ]


def test_a_restore_behind_the_newest_checkpoint_says_what_to_do(call: Call, tmp_path: Any) -> None:
    call("add", "The kettle is red.")
    call("backup", "monday.db")
    call("add", "The cup is blue.")
    call("log", "checkpoint")
    (tmp_path / "memory.db").unlink()
    for left in tmp_path.glob("memory.db-[ws]*"):
        left.unlink()
    done = call("restore", "monday.db")
    assert done.code == 0
    assert "smriti-es log restored --tenant default" in done.err
