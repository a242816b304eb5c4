"""The cache of vectors on disk."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.synthetic import WordVectors
from bench.timed_embedder import TimedEmbedder
from bench.vector_cache import CachedEmbedder, cache_key
from smriti_es import CallableEmbedder
from smriti_es.embedders import FloatMatrix

TEXTS = ["ada moved to utrecht", "bo paints rivers"]


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[CachedEmbedder]:
    with CachedEmbedder(WordVectors(), tmp_path / "deep" / "vectors.sqlite3") as opened:
        yield opened


def test_a_key_is_the_sha1_of_model_nul_and_text() -> None:
    assert cache_key("m@1", "hé") == hashlib.sha1(b"m@1\x00h\xc3\xa9").digest()


def test_vectors_come_back_as_the_model_made_them(cache: CachedEmbedder) -> None:
    made = WordVectors().embed(TEXTS)
    for _ in range(2):
        assert np.array_equal(cache.embed(TEXTS), made)


def test_the_model_is_asked_once_for_each_text(cache: CachedEmbedder) -> None:
    cache.embed([TEXTS[0], TEXTS[0]])
    cache.embed(TEXTS)
    cache.embed(TEXTS)
    assert cache.misses == 2


def test_another_opening_finds_the_vectors(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite3"
    with CachedEmbedder(WordVectors(), path) as first:
        first.embed(TEXTS)
    with CachedEmbedder(WordVectors(), path) as second:
        second.embed(TEXTS)
        assert second.misses == 0


def test_another_model_gets_vectors_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite3"
    other = CallableEmbedder(lambda texts: [[1.0, 0.0]] * len(texts), model="flat", dimension=2)
    with CachedEmbedder(WordVectors(), path) as first:
        first.embed(TEXTS)
    with CachedEmbedder(other, path) as second:
        assert second.embed(TEXTS).shape == (2, 2)


def test_filling_reports_progress_and_leaves_nothing_to_ask_for(cache: CachedEmbedder) -> None:
    seen: list[tuple[int, int]] = []
    cache.fill([*TEXTS, TEXTS[0]], lambda done, total: seen.append((done, total)))
    assert (seen, cache.misses) == ([(0, 2), (2, 2)], 2)
    cache.embed(TEXTS)
    assert cache.misses == 2


def test_the_embedder_time_is_taken_off_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("bench.timed_embedder.time.perf_counter", lambda: now[0])

    class Slow(WordVectors):
        def embed(self, texts: Sequence[str]) -> FloatMatrix:
            now[0] += 5.0
            return super().embed(texts)

    embedder = TimedEmbedder(Slow())
    seconds: list[float] = []
    with embedder.timing_the_rest(seconds):
        now[0] += 2.0
        embedder.embed(TEXTS)
    assert (seconds, embedder.seconds) == ([2.0], 5.0)
