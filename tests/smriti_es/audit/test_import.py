"""A memory is taken over from a bundle, or looked at in it, with the same answers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from smriti_es.audit_import import import_audit, mount_audit
from smriti_es.audit_verbs import Disclosed
from smriti_es.engine import Engine
from smriti_es.events.catalogue import LogImported
from smriti_es.events.errors import (
    ChainBroken,
    Conflict,
    IntegrityError,
    InvalidInput,
    NotFound,
    SchemaNewer,
)
from smriti_es.view import View


def answer(memory: View) -> str:
    return memory.context("where do I live", now="2026-07-01").text


@pytest.fixture
def moved(engine: Callable[..., Engine]) -> Iterator[Engine]:
    """A memory of somebody who moved: two sessions, with a fact each."""
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15", idempotency_key="one")
    memory.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02")
    yield memory


@pytest.fixture
def bundle(moved: Engine, tmp_path: Path) -> Path:
    """That memory as a bundle, with all that follows from it."""
    moved.export_audit(tmp_path / "bundle", derived=True)
    return tmp_path / "bundle"


def repaired(bundle: Path) -> None:
    """Let the manifest fit the files again."""
    from smriti_es.events.audit.layout import ListedFile, Manifest

    said = Manifest.of_bytes((bundle / "manifest.json").read_bytes())
    files = {name: ListedFile.of((bundle / name).read_bytes()) for name in said.files}
    made = Manifest(said.log, said.first, said.events, said.withheld, files)
    (bundle / "manifest.json").write_bytes(made.to_bytes())


def test_an_imported_memory_gives_the_same_answers(
    moved: Engine, bundle: Path, engine: Callable[..., Engine], places: Any
) -> None:
    imported = import_audit(bundle, places.named("copy.db"), tenant="bob")
    assert imported.verified.ok
    copy = engine("copy.db", tenant="bob")
    assert answer(copy) == answer(moved)
    assert copy.facts() == moved.facts()
    assert [each.live for each in copy.check()] == [each.live for each in moved.check()]


def test_taking_a_log_over_is_recorded_in_it(
    moved: Engine, bundle: Path, engine: Callable[..., Engine], places: Any
) -> None:
    size = moved.head + 1
    imported = import_audit(
        bundle, places.named("copy.db"), tenant="bob", actor="eve", reason="A new machine."
    )
    assert (imported.events, imported.head) == (size, size)
    *before, last = engine("copy.db", tenant="bob").events()
    assert [each.leaf for each in before] == [each.leaf for each in moved.events()]
    assert isinstance(last.event, LogImported)
    assert (last.event.size, last.event.tenant, last.event.reason) == (
        size,
        "bob",
        "A new machine.",
    )
    assert last.header.actor.id == "eve"


def test_an_imported_memory_goes_on_and_is_exported_again(
    bundle: Path, engine: Callable[..., Engine], places: Any, tmp_path: Path
) -> None:
    import_audit(bundle, places.named("copy.db"))
    copy = engine("copy.db")
    copy.add("I moved to Pune on August 1st.", session="s3", at="2026-08-02")
    assert [fact.object for fact in copy.facts("user", "lives_in", valid_at="2026-09-01")] == [
        "Pune"
    ]
    assert copy.verify().ok
    copy.export_audit(tmp_path / "again", derived=True)
    assert import_audit(tmp_path / "again", places.named("third.db")).verified.ok


def test_turns_that_were_read_for_facts_are_not_read_again(
    bundle: Path, moved: Engine, engine: Callable[..., Engine], places: Any
) -> None:
    import_audit(bundle, places.named("copy.db"))
    copy = engine("copy.db")
    assert copy.extract_pending() == []
    assert len(copy.facts()) == len(moved.facts())


def test_the_index_of_requests_comes_along(
    bundle: Path, engine: Callable[..., Engine], places: Any
) -> None:
    import_audit(bundle, places.named("copy.db"))
    copy = engine("copy.db")
    # Under the log's new key it is another request, and that of before is not mistaken for it.
    assert not copy.add("Hello.", session="s4", idempotency_key="one").repeated
    assert copy.verify(projections=False).ok


def test_a_log_has_one_live_copy_in_a_database(moved: Engine, bundle: Path, places: Any) -> None:
    with pytest.raises(Conflict, match="already, as tenant 'default'"):
        import_audit(bundle, places.named("memory.db"), tenant="bob")


def test_another_tenant_s_log_is_taken_into_a_memory_that_is_there(
    bundle: Path, engine: Callable[..., Engine], places: Any
) -> None:
    other = engine("other.db")
    other.add("I live in Oslo.", session="s1", at="2026-01-15")
    assert import_audit(bundle, places.named("other.db"), tenant="bob").verified.ok
    assert [fact.object for fact in other.facts()] == ["Oslo"]
    assert other.verify().ok


def test_a_name_that_is_taken_is_refused(
    bundle: Path, engine: Callable[..., Engine], places: Any
) -> None:
    engine("other.db")
    with pytest.raises(Conflict, match="there is a tenant 'default' already"):
        import_audit(bundle, places.named("other.db"))


def test_a_broken_bundle_is_not_imported_and_makes_no_file(
    bundle: Path, places: Any, tmp_path: Path
) -> None:
    payloads = bundle / "payloads.jsonl"
    payloads.write_bytes(payloads.read_bytes().replace(b'"pos":3', b'"pos":4', 1))
    with pytest.raises(ChainBroken, match="the bundle is broken: position 3"):
        import_audit(bundle, places.named("copy.db"))
    assert list(tmp_path.glob("copy.db*")) == []


def test_what_came_along_and_does_not_follow_is_refused(
    bundle: Path, places: Any, tmp_path: Path
) -> None:
    facts = bundle / "facts.jsonl"
    facts.write_text(facts.read_text().replace("bengaluru", "mysuru"))
    repaired(bundle)
    with pytest.raises(IntegrityError, match=r"facts\.jsonl does not follow from the events"):
        import_audit(bundle, places.named("copy.db"))
    assert list(tmp_path.glob("copy.db*")) == []


def test_more_than_what_follows_is_refused(bundle: Path, places: Any) -> None:
    facts = bundle / "revisions.jsonl"
    facts.write_text(facts.read_text() + "{}\n")
    repaired(bundle)
    with pytest.raises(IntegrityError, match="more than follows"):
        import_audit(bundle, places.named("copy.db"))


def test_a_fingerprint_that_is_another_is_refused(bundle: Path, places: Any) -> None:
    path = bundle / "fingerprints.json"
    said = json.loads(path.read_text())
    said["turns"]["sha256"] = "00" * 32
    path.write_text(json.dumps(said, separators=(",", ":")) + "\n")
    repaired(bundle)
    with pytest.raises(IntegrityError, match=r"fingerprints\.json"):
        import_audit(bundle, places.named("copy.db"))


def test_a_bundle_that_withholds_content_is_looked_at_and_not_taken_over(
    moved: Engine, places: Any, tmp_path: Path
) -> None:
    moved.export_audit(tmp_path / "b", disclose=Disclosed(positions=[0], sessions=["s1"]))
    with pytest.raises(InvalidInput, match="withholds the content of"):
        import_audit(tmp_path / "b", places.named("copy.db"))
    with mount_audit(tmp_path / "b") as mounted:
        assert [turn.text for turn in mounted.turns()] == ["I live in Hyderabad."]
        assert mounted.facts() == []


def test_a_stretch_is_not_taken_over(moved: Engine, places: Any, tmp_path: Path) -> None:
    moved.export_audit(tmp_path / "b", first=5)
    with pytest.raises(InvalidInput, match="begins at position"):
        import_audit(tmp_path / "b", places.named("copy.db"))


def test_a_bundle_is_mounted_as_it_is(moved: Engine, bundle: Path) -> None:
    with mount_audit(bundle) as mounted:
        assert mounted.head == moved.head
        assert answer(mounted) == answer(moved)
        assert not hasattr(mounted, "add")


def test_an_unknown_space_of_a_mounted_bundle_is_told(bundle: Path) -> None:
    with mount_audit(bundle, space="elsewhere") as mounted, pytest.raises(NotFound):
        mounted.turns()


def test_a_bundle_that_is_not_there_is_told(places: Any, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no bundle at"):
        import_audit(tmp_path / "nowhere", places.named("copy.db"))


def test_a_newer_bundle_is_told_as_such(bundle: Path, places: Any) -> None:
    path = bundle / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b"smriti-es-bundle/1", b"smriti-es-bundle/2"))
    with pytest.raises(SchemaNewer, match="smriti-es-bundle/2"):
        import_audit(bundle, places.named("copy.db"))


def test_a_compressed_bundle_is_imported(moved: Engine, places: Any, tmp_path: Path) -> None:
    moved.export_audit(tmp_path / "b", derived=True, compress=True)
    assert import_audit(tmp_path / "b", places.named("copy.db")).verified.ok
