"""Is everything as it should be? The log and what it rests on, projections, the graph."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from smriti_es.embedding import VECTORS
from smriti_es.events.errors import InvalidInput, StorageDamaged
from smriti_es.events.findings import Verification
from smriti_es.examining import Examined, examine
from smriti_es.loaded_vectors import LoadedVectors
from smriti_es.opened import Opened
from smriti_es.projections.check import CheckReport, check
from smriti_es.projections.projector import Progress, no_progress
from smriti_es.projections.vectors.graph import VectorGraph
from smriti_es.projections.vectors.graph_recall import RECALL_FLOOR, ROUNDING, near
from smriti_es.status import read_status

QUESTIONS: Final = 64
QUESTIONS_MAX: Final = 10_000
NEAREST: Final = 20
# Other questions than those by which a graph chooses its effort.
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class GraphReport:
    """How the graph of the vectors stands.

    Attributes:
        vectors: How many vectors there are.
        threshold: From how many on a graph serves.
        state: "not needed", "whole", "in part", "in memory", or why its file is of no use:
            "missing", "damaged", "busy", "unreadable", "other embedder", "other generation", "other
            erasure", "other format".
        detail: What was found, for a person; empty where nothing more is to be said.
        held: How many vectors it holds.
        questions: How many questions it was asked.
        unanswered: For how many of them it said to compare every vector instead.
        recall: Share of the 20 exact nearest that it found for the others; None: it was asked none.
    """

    vectors: int
    threshold: int
    state: str
    detail: str = ""
    held: int = 0
    questions: int = 0
    unanswered: int = 0
    recall: float | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong with it; what is missing is built anew and never missed."""
        whole = self.state not in ("damaged", "unreadable")
        return whole and (self.recall is None or self.recall >= RECALL_FLOOR)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `doctor` found.

    Attributes:
        database: What keeps the data, with its version.
        degraded: What does not take part in answers, in words.
        examined: What the memory rests on: chain, file, durability, versions, disk, permissions,
            attestation, embedder, leftovers.
        projections: How each compares with the log; empty where the log is not what was written.
        graph: How the graph of the vectors stands; None: nothing serves vectors.
    """

    database: str
    degraded: tuple[str, ...]
    examined: tuple[Examined, ...]
    projections: tuple[CheckReport, ...]
    graph: GraphReport | None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong. What is degraded, or noted, is not wrong."""
        return (
            all(each.verdict != "wrong" for each in self.examined)
            and all(each.ok for each in self.projections)
            and (self.graph is None or self.graph.ok)
        )


def check_questions(questions: int) -> None:
    """Refuse to ask too many or too few questions.

    Raises:
        InvalidInput: It is no number from 1 to 10,000.
    """
    if type(questions) is not int or not 1 <= questions <= QUESTIONS_MAX:
        raise InvalidInput(
            f"questions is {questions!r}; it must be a whole number from 1 to {QUESTIONS_MAX:,}",
            hint="Some dozens tell the recall to a percent or so.",
            field="questions",
        )


def diagnose(
    opened: Opened,
    verified: Verification,
    questions: int = QUESTIONS,
    progress: Progress = no_progress,
) -> Diagnosis:
    """Look at everything, once the log is verified; see `Engine.doctor`."""
    # Of a log that is not what was written nothing can be said that would be worth comparing.
    names = opened.projector.projections if verified.ok else ()
    projections = [check(opened.projector, name, progress=progress) for name in names]
    return Diagnosis(
        opened.database.product,
        _degraded(opened),
        examine(opened, verified),
        tuple(projections),
        _graph_if_readable(opened, questions),
    )


def _degraded(opened: Opened) -> tuple[str, ...]:
    try:
        return read_status(opened).degraded
    except StorageDamaged as error:
        return (str(error),)


def _graph_if_readable(opened: Opened, questions: int) -> GraphReport | None:
    try:
        return graph_report(opened, questions)
    except StorageDamaged as error:
        return GraphReport(0, opened.settings.graph_threshold, "unreadable", str(error))


def graph_report(opened: Opened, questions: int = QUESTIONS) -> GraphReport | None:
    """Read the graph from its file, as another process would, and ask it questions."""
    threshold = opened.settings.graph_threshold
    with opened.database.read() as connection:
        generation = opened.projector.serving(connection).get(VECTORS)
        if generation is None:
            return None
        semantic, erasure = opened.reader.semantic, opened.erased(connection)
        vectors = semantic.count(connection, generation)
        loaded = semantic.rows_for_graph(connection, generation, erasure)
    if loaded is None:
        return GraphReport(vectors, threshold, "not needed")
    path = opened.database.graph_path(opened.log.log)
    if path is None:
        graph, state, detail = loaded.graph, "in memory", ""
        if graph is None:
            return GraphReport(vectors, threshold, "missing", "it is kept in memory only")
    else:
        read = VectorGraph.load(
            path, embedder=str(generation.detail), generation=generation.number, erasure=erasure
        )
        if read.graph is None:
            assert read.refused is not None
            return GraphReport(vectors, threshold, read.refused.reason, read.refused.detail)
        graph, state, detail = read.graph, "whole" if read.graph.measured else "in part", ""
    lacking = len(loaded.after(graph.last_vector_seq)[0])
    if lacking:
        detail = f"it lacks the last {lacking:,}, which are compared beside it"
    if not graph.usable:
        return GraphReport(vectors, threshold, state, "it finds too little to be used", len(graph))
    unanswered, recall = _recall(graph, loaded, questions)
    return GraphReport(vectors, threshold, state, detail, len(graph), questions, unanswered, recall)


def _recall(graph: VectorGraph, loaded: LoadedVectors, questions: int) -> tuple[int, float | None]:
    """Ask a graph for the nearest of some questions, and compare with all that it holds."""
    covered = len(loaded) - len(loaded.after(graph.last_vector_seq)[0])
    vectors = loaded.matrix.vectors[:covered]
    depth = min(NEAREST, covered)
    rows = np.linspace(0, covered - 1, questions).astype(np.int64)
    found: list[float] = []
    for query in near(vectors[rows], _SEED):
        answer = graph.search(query, depth)
        if answer is not None:
            needed = np.partition(vectors @ query, -depth)[-depth]
            found.append(float(np.mean(answer[1] >= needed - ROUNDING)))
    return questions - len(found), round(float(np.mean(found)), 4) if found else None


def told(graph: GraphReport) -> Sequence[str]:
    """Say in lines how the graph stands."""
    if graph.state == "not needed":
        return [
            f"graph: not needed: {graph.vectors:,} vectors, each is compared "
            f"(from {graph.threshold:,} on a graph serves)"
        ]
    said = [f"graph: {graph.state}: {graph.held:,} of {graph.vectors:,} vectors"]
    if graph.detail:
        said.append(f"graph: {graph.detail}")
    if graph.recall is not None:
        said.append(
            f"graph: finds {graph.recall:.1%} of the {NEAREST} exact nearest "
            f"({graph.questions} questions)"
        )
    return said
