"""The snapshot in which a question is answered, with the question as the embedder of it reads it.

A question is embedded before the snapshot is opened, for a model may take long. Should the vectors
have been switched to another embedder in between, it is embedded again by that one: a read sees the
vectors of one embedder or of the next, and compares them with a question of the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from smriti_es.opened import Opened
from smriti_es.recall.asking import QueryVector
from smriti_es.recall.profiles import RecallProfile
from smriti_es.recall.question import Question


@contextmanager
def snapshot_for(
    opened: Opened, question: Question, profile: RecallProfile
) -> Iterator[tuple[Connection, QueryVector]]:
    """Open the snapshot that a question is put to."""
    reader = opened.reader
    queries = reader.queries
    while True:
        vectors = reader.embed(question, queries, profile)
        with opened.database.read() as connection:
            fitting = reader.queries_for(opened.projector.serving(connection))
            if fitting is None or fitting is queries:
                yield connection, vectors
                return
        queries = fitting
