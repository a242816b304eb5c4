"""Inputs that other memories got wrong: import, export and migration (BC-84, BC-86)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from smriti_es.audit_import import import_audit
from smriti_es.embedders import CallableEmbedder
from smriti_es.engine import Engine

Open = Callable[..., Engine]


def content(bundle: Path) -> dict[str, bytes]:
    """The events and payloads of a bundle, file by file."""
    files = [each for each in sorted(bundle.rglob("*")) if each.is_file()]
    kept = [each for each in files if each.name.startswith(("events", "payloads", "facts"))]
    return {str(each.relative_to(bundle)): each.read_bytes() for each in kept}


def test_bc_84_what_was_exported_and_imported_is_exported_byte_for_byte(
    engine: Open, places: Any, tmp_path: Path
) -> None:
    memory = engine()
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    memory.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02")
    hidden = memory.add("I work at Acme.", session="s3", at="2026-06-03")
    gone = memory.add("I like rain.", session="s4", at="2026-06-04")
    memory.quarantine(turn=hidden.positions[0])
    memory.erase(turn=gone.positions[0])
    head = memory.head
    memory.export_audit(tmp_path / "first")
    import_audit(tmp_path / "first", places.named("copy.db"))

    def refuse(texts: list[str]) -> list[list[float]]:
        raise AssertionError(texts)

    unused = CallableEmbedder(refuse, model="unused", dimension=3)
    copy = engine("copy.db", embedder=unused)
    copy.export_audit(tmp_path / "second", last=head)
    first = content(tmp_path / "first")
    assert first
    assert content(tmp_path / "second") == first
    assert [each.text for each in copy.turns()] == [each.text for each in memory.turns()]
    assert copy.facts() == memory.facts()
    assert len(copy.quarantines()) == 1


def embedder(dimension: int) -> CallableEmbedder:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text) % 5), *[0.5] * (dimension - 2)] for text in texts]

    return CallableEmbedder(embed, model=f"of {dimension}", dimension=dimension)


def test_bc_86_every_vector_has_the_new_size_also_of_what_is_withheld(engine: Open) -> None:
    memory = engine(embedder=embedder(8))
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15")
    hidden = memory.add("I moved to Bengaluru on June 1st.", session="s2", at="2026-06-02")
    memory.wait_for_vectors()
    held = memory.quarantine(turn=hidden.positions[0])
    memory.close()
    wider = engine(embedder=embedder(12))
    wider.rebuild("vectors")
    assert wider.search("Where do I live?").degraded == ()
    wider.release(held)
    wider.wait_for_vectors()
    found = wider.search("Where do I live?")
    assert found.degraded == ()
    by_meaning = {hit.position for hit in found if "semantic" in hit.channels}
    assert hidden.positions[0] in by_meaning
    assert wider.status().pending == 0
    assert {each.problem for each in wider.check()} == {None}
