"""A bundle carries what was signed, and what ties its events to it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es.audit_import import import_audit
from smriti_es.engine import Engine
from smriti_es.events.audit import verify_bundle
from smriti_es.events.audit.checking import check_bundle
from smriti_es.events.checkpoint import Checkpoint
from smriti_es.events.errors import ChainBroken, InvalidInput
from smriti_es.events.signed_note import NoteKey
from tests.places import Places


@pytest.fixture
def signed(engine: Callable[..., Engine]) -> Iterator[Engine]:
    """A memory of several sessions, with two checkpoints."""
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.checkpoint()
    memory.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02")
    memory.checkpoint()
    yield memory


@pytest.fixture
def vkey(signed: Engine) -> str:
    return str(signed.signing_keys()[-1].key)


def codes(folder: Path, key: str, *since: Checkpoint) -> set[int]:
    """What both verifiers end with."""
    notes = [str(each).encode() for each in since]
    ours = check_bundle(folder, keys=[NoteKey.parse(key)], since=notes)
    files = []
    for number, note in enumerate(notes):
        path = folder.with_name(f"since-{number}")
        path.write_bytes(note)
        files += ["--since", str(path)]
    alone = verify_bundle.main([str(folder), "--key", key, *files])
    return {1 if ours.findings else 2 if ours.incomplete else 0, alone}


def test_a_whole_log_is_under_its_newest_checkpoint(
    signed: Engine, vkey: str, tmp_path: Path
) -> None:
    exported = signed.export_audit(tmp_path / "b")
    assert "checkpoint" in exported.files
    assert "inclusion" not in exported.files
    assert codes(tmp_path / "b", vkey, *signed.checkpoints()) == {0}


def test_another_key_has_not_signed_it(signed: Engine, vkey: str, tmp_path: Path) -> None:
    signed.export_audit(tmp_path / "b")
    other = NoteKey(NoteKey.parse(vkey).name, 1, bytes.fromhex("d75a9801") + bytes(28))
    assert codes(tmp_path / "b", str(other)) == {1}


def test_what_was_recorded_since_is_under_none(signed: Engine, vkey: str, tmp_path: Path) -> None:
    signed.add("I like tea.", session="s3", at="2026-06-02")
    signed.export_audit(tmp_path / "b")
    assert codes(tmp_path / "b", vkey) == {2}


@pytest.mark.parametrize(("first", "last"), [(0, 4), (3, 7), (6, 9)])
def test_a_stretch_is_tied_to_the_checkpoint(
    first: int, last: int, signed: Engine, vkey: str, tmp_path: Path
) -> None:
    older, newest = signed.checkpoints()
    exported = signed.export_audit(tmp_path / "b", first=first, last=last, since=older)
    assert "inclusion" in exported.files
    assert codes(tmp_path / "b", vkey, older, newest) == {0}


def test_a_stretch_that_no_checkpoint_reaches_comes_without_one(
    signed: Engine, tmp_path: Path
) -> None:
    signed.add("I like tea.", session="s3", at="2026-06-02")
    exported = signed.export_audit(tmp_path / "b", first=signed.head)
    assert "checkpoint" not in exported.files
    assert check_bundle(tmp_path / "b", unsigned=True).ok


def test_nothing_leads_on_from_a_checkpoint_of_another_log(
    signed: Engine, engine: Callable[..., Engine], tmp_path: Path
) -> None:
    other = engine("other.db").checkpoint()
    with pytest.raises(InvalidInput, match="nothing that was signed"):
        signed.export_audit(tmp_path / "b", since=str(other))


def test_nothing_leads_on_where_nothing_was_signed(
    signed: Engine, engine: Callable[..., Engine], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match="nothing that was signed"):
        engine("other.db").export_audit(tmp_path / "b", since=signed.checkpoints()[0])


def test_an_import_asks_for_the_signature(
    signed: Engine, vkey: str, places: Any, tmp_path: Path
) -> None:
    signed.export_audit(tmp_path / "b")
    older = str(signed.checkpoints()[0]).encode()
    key = NoteKey.parse(vkey)
    imported = import_audit(tmp_path / "b", places.named("copy.db"), keys=[key], since=[older])
    assert imported.checked.incomplete == ()
    other = NoteKey(key.name, 1, bytes(32))
    with pytest.raises(ChainBroken, match="no key that was given has signed it"):
        import_audit(tmp_path / "b", places.named("third.db"), keys=[other])


def test_an_imported_log_is_signed_on_with_a_key_of_its_own(
    signed: Engine, vkey: str, engine: Callable[..., Engine], places: Any, tmp_path: Path
) -> None:
    signed.export_audit(tmp_path / "b")
    import_audit(tmp_path / "b", places.named("copy.db"))
    copy = engine("copy.db")
    copy.rotate_key(lost=True, reason="The secret stayed where it was.")
    newest = copy.checkpoint()
    assert copy.verify(checkpoint=signed.checkpoints()[-1]).ok
    copy.export_audit(tmp_path / "again")
    own = str(copy.signing_keys()[-1].key)
    notes = [str(each).encode() for each in signed.checkpoints()]
    keys = [NoteKey.parse(own), NoteKey.parse(vkey)]
    assert check_bundle(tmp_path / "again", keys=keys, since=notes).ok
    assert newest.size == copy.head + 1


def test_what_was_erased_is_shown_to_be_erased_and_nothing_signed_is_lost(
    signed: Engine, vkey: str, places: Any, tmp_path: Path
) -> None:
    before = signed.checkpoints()
    signed.erase(session="s1")
    signed.checkpoint()
    signed.export_audit(tmp_path / "b", derived=True)
    assert codes(tmp_path / "b", vkey, *before) == {0}
    checked = check_bundle(tmp_path / "b", keys=[NoteKey.parse(vkey)])
    assert (checked.withheld, checked.erased > 0) == (0, True)
    assert b"SHlkZXJhYmFk" not in (tmp_path / "b" / "payloads.jsonl").read_bytes()
    imported = import_audit(tmp_path / "b", places.named("copy.db"))
    assert imported.verified.ok


def test_what_was_erased_and_is_put_back_is_found(
    signed: Engine, vkey: str, tmp_path: Path
) -> None:
    signed.export_audit(tmp_path / "before")
    signed.erase(session="s1")
    signed.checkpoint()
    signed.export_audit(tmp_path / "after")
    (tmp_path / "after" / "payloads.jsonl").write_bytes(
        (tmp_path / "before" / "payloads.jsonl").read_bytes()
    )
    found = check_bundle(tmp_path / "after", keys=[NoteKey.parse(vkey)]).findings
    assert any("though position" in each.problem for each in found)


def test_a_signed_bundle_is_compared_on_the_command_line(
    signed: Engine, vkey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: Places
) -> None:
    from typer.testing import CliRunner

    from smriti_es.cli import app

    (tmp_path / "older").write_text(str(signed.checkpoints()[0]))
    (tmp_path / "log.vkey").write_text(vkey)
    signed.close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMRITI_ES_DB", str(places.named("memory.db")))
    run = CliRunner().invoke
    written = run(app, ["log", "export", "b", "--first", "6", "--since", "older"])
    assert written.exit_code == 0, written.output
    done = run(app, ["log", "verify-bundle", "b", "--key", "log.vkey", "--since", "older"])
    assert done.exit_code == 0
    assert "under a checkpoint of" in done.output
    assert run(app, ["log", "verify-bundle", "b", "--since", "older"]).exit_code == 2
