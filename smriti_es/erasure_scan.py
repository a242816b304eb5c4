"""What to look for of erased content in the bytes of the store, while it is still in memory.

What is looked for are pieces of it that are long enough to be nobody else's: windows of texts as
they lie in payloads, names in the form in which they are compared, words as the full-text index has
them, and the bytes of vectors. A piece that other content holds as well proves nothing and is left
out. Source: design page on trust, "Erasure", 6; decision 37.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, MetaData, inspect, select

from smriti_es.erasure_plan import ErasurePlan
from smriti_es.events.key_form import key_form
from smriti_es.events.records import RecordedEvent
from smriti_es.events.tables import payload_table
from smriti_es.projections.items import items
from smriti_es.projections.lexical.analysis import terms
from smriti_es.projections.vectors.tables import STORED
from smriti_es.projections.vectors.token_rows import TOKENS, token_table

_PIECE_MIN: Final = 8
_WINDOW: Final = 32
_PER_KIND: Final = 128
_PREFIX: Final = 6
# Words of ours, which any row may hold.
_NO_CONTENT: Final = frozenset(
    {
        "kind",
        "role",
        "origin",
        "source",
        "extractor",
        "model",
        "status",
        "trust",
        "valid_precision",
        "said_precision",
    }
)


@dataclass(frozen=True, slots=True)
class Needles:
    """Pieces of erased content, as bytes.

    Attributes:
        texts: Windows of texts, and names in key form.
        words: Words of the full-text index.
        vectors: Beginnings of vectors and of token vectors.
    """

    texts: tuple[bytes, ...] = ()
    words: tuple[bytes, ...] = ()
    vectors: tuple[bytes, ...] = ()

    @property
    def all(self) -> tuple[bytes, ...]:
        """Everything to look for."""
        return (*self.texts, *self.words, *self.vectors)

    def __bool__(self) -> bool:
        return bool(self.all)

    def at_most(self, count: int) -> "Needles":
        """Give so many of each kind, spread over all of them."""
        return Needles(*(_sample(each, count) for each in (self.texts, self.words, self.vectors)))


def needles_of(
    plan: ErasurePlan, vectors: Mapping[int, bytes], tokens: Sequence[bytes] = ()
) -> Needles:
    """Choose what to look for: of much content a sample that spans all of it."""
    beginnings = [piece for vector in vectors.values() for piece in _beginnings(vector)]
    beginnings += [each[:_WINDOW] for each in tokens if each]
    return replace(needles_of_events(list(plan.events.values())), vectors=_sample(beginnings))


def needles_of_events(events: Sequence[RecordedEvent]) -> Needles:
    """Choose what to look for of events alone."""
    said = [text for recorded in events for text in _texts_of(recorded.event)]
    words = {word for item in items(events) for word in terms(item.words)}
    return Needles(
        _sample(sorted({piece for text in said for piece in _pieces(text)})),
        _sample(sorted(w.encode() for w in words if len(w.encode()) >= _PIECE_MIN)),
    )


def said_elsewhere(
    connection: Connection, pieces: Iterable[bytes], words: set[bytes]
) -> set[bytes]:
    """Give the pieces that content which stays holds as well, of whichever tenant it is.

    Args:
        connection: A snapshot.
        pieces: What was found in a file.
        words: Which of these are words of the index, whose ending may have been cut off.
    """
    left = set(pieces)
    shared = _embedded_elsewhere(connection, left) | _in_the_schema(connection, left)
    left -= shared
    everything = select(payload_table.c.body).execution_options(yield_per=1_000)
    with connection.execute(everything) as bodies:
        for body in bodies.scalars():
            if not left:
                break
            folded = key_form(body.decode("utf-8", "replace")).encode()
            here = {
                piece
                for piece in left
                if piece in body or (piece[:_PREFIX] if piece in words else piece) in folded
            }
            shared |= here
            left -= here
    return shared


def _in_the_schema(connection: Connection, pieces: set[bytes]) -> set[bytes]:
    """Give the pieces that a file holds because tables and columns are called so."""
    if connection.dialect.name != "sqlite":
        return set()  # a server keeps them in its own tables, which are not searched
    written = connection.exec_driver_sql("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    schema = "\n".join(written.scalars()).encode()
    return {piece for piece in pieces if piece in schema}


def _embedded_elsewhere(connection: Connection, pieces: set[bytes]) -> set[bytes]:
    """Give the pieces that token vectors which stay hold: the same word has the same ones."""
    shared = set[bytes]()
    for name in inspect(connection).get_table_names():
        if pieces and name.startswith(TOKENS):
            table = token_table(name.removeprefix(TOKENS), MetaData())
            every = select(table.c.tokens).execution_options(yield_per=1_000)
            with connection.execute(every) as rows:
                for tokens in rows.scalars():
                    shared.update(piece for piece in pieces - shared if piece in tokens)
    return shared


def _texts_of(event: Any) -> Iterator[str]:
    if event is None:
        return
    for each in fields(event):
        if each.name not in event.FACETS and each.name not in _NO_CONTENT:
            yield from _texts_in(getattr(event, each.name))


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts_in(name)
            yield from _texts_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts_in(inner)


def _pieces(text: str) -> Iterator[bytes]:
    """Cut windows out of a text as it lies in a payload, and out of its key form."""
    for form in {text, key_form(text)}:
        written = json.dumps(form, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
        for start in {0, max(0, (len(written) - _WINDOW) // 2), max(0, len(written) - _WINDOW)}:
            piece = written[start : start + _WINDOW]
            if len(piece) >= _PIECE_MIN:
                yield piece


def _beginnings(vector: bytes) -> Iterator[bytes]:
    """Give the beginning of a vector as a row holds it, and as the graph's file does."""
    yield vector[:_WINDOW]
    wide = np.frombuffer(vector, STORED).astype(np.float32)
    norm = np.linalg.norm(wide)
    if norm > 0:
        yield (wide / norm).tobytes()[:_WINDOW]


def _sample(pieces: Sequence[bytes], count: int = _PER_KIND) -> tuple[bytes, ...]:
    step = max(1, -(-len(pieces) // count))
    return tuple(pieces[::step])
