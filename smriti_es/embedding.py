"""Make vectors of recorded turns: after the commit, outside any transaction, one process at a time.

A text that the embedder refuses is set aside with the reason and tried again on request; the turns
around it get their vectors. An embedder out of reach stops the work, and nothing is lost by that:
turns are found by their words.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sqlalchemy import delete, select, update

from smriti_es.egress import endpoint_of
from smriti_es.embedders import Embedder, FloatMatrix, chunks, embed_checked
from smriti_es.embedders.tokens import embed_tokens_checked, token_space_of
from smriti_es.events.errors import EmbedderError, ProjectionError, StorageError
from smriti_es.events.log import EventLog
from smriti_es.events.records import RecordedEvent
from smriti_es.projections.projector import Progress, Projector, no_progress
from smriti_es.projections.trust import TrustProjection
from smriti_es.projections.vectors.projection import (
    NOT_SHOWN,
    EmbeddedText,
    TurnEmbedder,
    VectorsProjection,
    canonical_identity,
)
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.withholding import Withholding

EVENTS_PER_STEP: Final = 128
# A model reads many texts faster than few, for it pads each batch to its longest.
_TEXTS_PER_CALL: Final = 128
# How long the worker waits before it tries an embedder again that was out of reach, seconds.
_RETRY_S: Final = 30.0
_CLAIM_S: Final = 0.2
_PIECE_LATIN: Final = 1_000
_PIECE_DENSE: Final = 250
_LATIN_BYTES_MAX: Final = 1.3
_LETTERS_PER_TOKEN: Final = 4
VECTORS: Final = VectorsProjection.name
_OTHER: Final = "Open the memory with that embedder, or switch to this one."


class EmbedTurns:
    """Embeds whole turns, however long, with any embedder; token by token, too, where it can."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def identity(self) -> str:
        """Identity of the embedder as canonical JSON."""
        return canonical_identity(self._embedder.identity.to_dict())

    def embed_texts(self, texts: Sequence[str]) -> list[EmbeddedText]:
        """Embed texts, one entry each, in order.

        Raises:
            EmbedderError: The embedder is out of reach, or refuses every one of several texts.
        """
        pieces = [chunks(text, limit=_piece_limit(text)) for text in texts]
        try:
            return self._embed(pieces)
        except EmbedderError as error:
            if error.retryable:
                raise
        outcomes = [self._attempt(one) for one in pieces]
        errors = [outcome.error for outcome in outcomes if outcome.error is not None]
        if len(texts) > 1 and len(errors) == len(texts):
            raise EmbedderError(f"the embedder refuses every text: {errors[0]}")
        return outcomes

    def _attempt(self, pieces: list[str]) -> EmbeddedText:
        try:
            return self._embed([pieces])[0]
        except EmbedderError as error:
            if error.retryable:
                raise
            return EmbeddedText(None, str(error))

    def _embed(self, pieces: list[list[str]]) -> list[EmbeddedText]:
        import numpy as np

        space = token_space_of(self._embedder)
        flat = [piece for one in pieces for piece in one]
        rows: list[FloatMatrix] = []
        tokens: list[FloatMatrix] = []
        for first in range(0, len(flat), _TEXTS_PER_CALL):
            texts = flat[first : first + _TEXTS_PER_CALL]
            if space is None:
                rows.extend(embed_checked(self._embedder, texts))
            else:
                vectors, read = embed_tokens_checked(self._embedder, texts)
                rows.extend(vectors)
                tokens.extend(each.vectors for each in read)
        outcomes, start = [], 0
        for one in pieces:
            these = slice(start, start + len(one))
            outcomes.append(EmbeddedText(np.stack(rows[these]), None, tokens[these], space or ""))
            start += len(one)
        return outcomes


def _piece_limit(text: str) -> int:
    """Give how many characters of a text a model surely reads to the end.

    A model's window is counted in tokens: about four letters of a Latin script each, but only one
    character of a script that its vocabulary does not know.
    """
    return _PIECE_DENSE if _is_dense(text) else _PIECE_LATIN


def about_tokens(text: str) -> int:
    """Estimate how many tokens a model reads of a text, whichever model; see `_piece_limit`."""
    return len(text) if _is_dense(text) else -(-len(text) // _LETTERS_PER_TOKEN)


def _is_dense(text: str) -> bool:
    return len(text.encode("utf-8", "replace")) > _LATIN_BYTES_MAX * len(text)


def vectors_by(
    embedder: Embedder, log: EventLog, turns: TurnEmbedder | None = None
) -> VectorsProjection:
    """Make vectors with an embedder; one that sends text on is shown nothing that is withheld.

    Args:
        embedder: The embedder.
        log: The log.
        turns: What embeds whole turns with it; None: just that.
    """
    turns = turns or EmbedTurns(embedder)
    if endpoint_of(embedder) is None:
        return VectorsProjection(turns)
    trust = Projector(log, [TrustProjection()])

    def withheld_among(positions: Sequence[int]) -> set[int]:
        with log.database.read() as connection:
            return Withholding.read(trust, connection).withheld_among(positions)

    return VectorsProjection(turns, withheld_among)


def _no_graph(pause: Callable[[], bool]) -> None:
    """Keep no graph."""
    del pause


def _nothing() -> None:
    """Do nothing."""


class VectorWorker:
    """Keeps the vectors of one log in step, in a thread of its own or when asked.

    Args:
        projector: The runner of the log.
        bind: Tells whether the serving vectors are those of the embedder at hand, after binding it
            to vectors that have none yet.
        background: Whether to have a thread from the beginning.
        keep_graph: Keeps the graph of the vectors; it stops when what it is given says so.
        save_graph: Saves a graph that is not built to the end.
    """

    def __init__(
        self,
        projector: Projector,
        *,
        bind: Callable[[], bool],
        background: bool,
        keep_graph: Callable[[Callable[[], bool]], None] = _no_graph,
        save_graph: Callable[[], None] = _nothing,
    ) -> None:
        self._projector = projector
        self._bind = bind
        self._keep_graph = keep_graph
        self._save_graph = save_graph
        self._claim = f"embed-{projector.log.log}"
        self._wanted = threading.Event()
        self._stopping = threading.Event()
        self.error: str | None = None
        self._thread: threading.Thread | None = None
        # Held for a step; whoever waits for both of them waits for one step at most.
        self._step_in_hand, self._next = threading.Lock(), threading.Lock()
        if background:
            self.start()

    def start(self) -> None:
        """Begin to work in a thread, unless there is one."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="smriti-es-vectors", daemon=True)
            self._thread.start()
            self.wake()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the step in hand end, and none begin before the end of the block."""
        with self._next, self._step_in_hand:
            yield

    def wake(self) -> None:
        """Say that there are new turns."""
        self._wanted.set()

    def stop(self) -> None:
        """End the thread after the step it is in."""
        self._stopping.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()
            self._save_graph()

    def catch_up(self, *, progress: Progress = no_progress, graph: bool = False) -> None:
        """Embed everything that waits, and try once more what failed before; then return.

        Args:
            progress: Called with phase, done and total.
            graph: Whether to wait for the graph as well, where there are vectors enough for one.

        Raises:
            EmbedderError: The embedder is out of reach, or these vectors are another one's.
        """
        while True:
            with self._step() as won:
                if not self._bind():
                    raise EmbedderError("the vectors were made by another embedder", hint=_OTHER)
                if won and not self._advance(progress):
                    retry_failed(self._projector)
                    self.error = None
                    break
            if self._stopping.is_set():
                return
        if graph:
            self._keep_graph(self._stopping.is_set)

    @contextmanager
    def _step(self) -> Iterator[bool]:
        """Take the next step among the threads here; gives whether it is ours among processes."""
        with self._next:
            self._step_in_hand.acquire()
        try:
            with self._projector.log.database.exclusive(self._claim, wait_s=_CLAIM_S) as won:
                yield won
        finally:
            self._step_in_hand.release()

    def _advance(self, progress: Progress = no_progress, *, ours: bool = True) -> bool:
        """Embed the next turns, if it is ours to do; tells whether there were any."""
        projector = self._projector
        # Looked at only now: whoever had the claim before has moved the checkpoint.
        with projector.log.database.read() as connection:
            generation = projector.serving(connection)[VECTORS]
            size = projector.log.size(connection)
        if generation.folded >= size:
            return False
        if ours:
            progress("fold", generation.folded, size)
            projector.advance(projector.projections[VECTORS], generation, EVENTS_PER_STEP)
        return True

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wanted.wait()
            self._wanted.clear()
            try:
                while not self._stopping.is_set() and self._stepped():
                    pass
                if self._bind():
                    self._keep_graph(self._is_wanted)
                self.error = None
            except (EmbedderError, ProjectionError, StorageError) as error:
                # Said in every answer and in the status; tried again later or with the next turn.
                self.error = str(error)
                if not self._stopping.is_set():
                    self._wanted.wait(_RETRY_S)
                self._wanted.set()

    def _is_wanted(self) -> bool:
        """Tell whether something waits that comes before the graph."""
        return self._stopping.is_set() or self._wanted.is_set()

    def _stepped(self) -> bool:
        """Take one step: `stop` and others never wait for long. Tells if more may follow."""
        with self._step() as won:
            if not self._bind():
                return False
            if self._advance(ours=won):
                return True
            if won:
                retry_failed(self._projector, released=True)
            return False


def retry_failed(projector: Projector, *, released: bool = False) -> int:
    """Try once more to embed the turns that could not be embedded; what is withheld waits on.

    Args:
        projector: The runner of the log.
        released: Only those that were withheld, and are no longer.

    Returns:
        How many have vectors now.
    """
    projection = projector.projections[VECTORS]
    assert isinstance(projection, VectorsProjection), "vectors are made by it"
    with projector.log.database.read() as connection:
        generation = projector.serving(connection)[VECTORS]
        if generation.detail != projection.detail:
            return 0  # another embedder has taken over: these are for it to make
        failure = vector_tables(generation.number).failure
        failed = select(failure.c.position).where(failure.c.log == projector.log.log)
        if released:
            failed = failed.where(failure.c.error == NOT_SHOWN)
        positions = list(connection.execute(failed.order_by(failure.c.position)).scalars())
    withheld = projection.withheld_among(positions) if positions else set()
    repaired = 0
    for position in [each for each in positions if each not in withheld]:
        events: list[RecordedEvent] = projector.events_from(position, 1)
        (turn,) = projection.prepare(events) or (None,)
        this = (failure.c.log == projector.log.log) & (failure.c.position == position)
        with projector.log.database.write() as connection:
            if projector.serving(connection)[VECTORS].number != generation.number:
                return repaired  # these rows are out of service
            if turn is not None and turn.outcome.vectors is None:
                counted = update(failure).where(this).values(attempts=failure.c.attempts + 1)
                connection.execute(counted)
            elif connection.execute(delete(failure).where(this)).rowcount == 1 and turn:
                projection.apply([turn], projector.fold(connection, generation))
                repaired += 1
    return repaired
