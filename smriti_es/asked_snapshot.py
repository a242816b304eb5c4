"""The snapshot in which a question is answered, with the question as the embedder of it reads it.

A question is embedded before the snapshot is opened, for a model may take long. Should the vectors
have been switched to another embedder in between, it is embedded again by that one: a read sees the
vectors of one embedder or of the next, and compares them with a question of the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from smriti_es.opened import Opened
from smriti_es.recall.asking import QueryVector
from smriti_es.recall.profiles import RecallProfile
from smriti_es.recall.question import Question
from smriti_es.recall.reader import Snapshot


@contextmanager
def snapshot_for(
    opened: Opened, question: Question, profile: RecallProfile
) -> Iterator[tuple[Snapshot, QueryVector]]:
    """Open the snapshot that a question is put to; `moment` is for the caller to set."""
    reader = opened.reader
    queries = reader.queries
    while True:
        vectors = reader.embed(question, queries, profile)
        with opened.database.read() as connection:
            serving = opened.projector.serving(connection)
            fitting = reader.queries_for(serving)
            if fitting is None or fitting is queries:
                yield Snapshot(connection, serving), vectors
                return
        queries = fitting
