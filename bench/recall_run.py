"""How much of the evidence do `search` and `context` bring back, and how fast?

A fresh memory for every conversation, one `add` per session, each question asked at the time that
the data set gives. The ranking is that of `search` with k = 50; the context is asked for once per
budget. Vectors come from a cache on disk; what the model takes for a question is measured apart.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.conversations import AskedQuestion, Conversation
from bench.evidence_metrics import Evidence, context_scores, mean_scores, ranking_scores
from bench.statistics import milliseconds
from bench.timed_embedder import TimedEmbedder
from smriti_es import Engine, Settings
from smriti_es.embedders import Embedder

BUDGETS: Final = (1_500, 3_000, 9_000)
_RANKED: Final = 50
_FIRST_HITS: Final = 10

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """What became of one question.

    Attributes:
        conversation: The conversation's name.
        question: Index of the question in the conversation.
        category: Name of its category.
        ranking: Metrics of the ranking; empty when the question has no evidence.
        contexts: Metrics of the context, by budget.
        characters: Length of the context, by budget.
        facts: How many facts are in the context, by budget; and among the first ten hits.
        search_seconds: Engine time of `search`, without the embedding.
        context_seconds: Engine time of `context`, by budget, without the embedding.
    """

    conversation: str
    question: int
    category: str
    ranking: Mapping[str, float]
    contexts: Mapping[int, Mapping[str, float]]
    characters: Mapping[int, int]
    facts: Mapping[int, int]
    search_seconds: float
    context_seconds: Mapping[int, float]

    @property
    def scored(self) -> bool:
        """Whether there is evidence to find."""
        return bool(self.ranking)


@dataclass(slots=True)
class _Memory:
    """One conversation in an engine, with the way back from positions to labels."""

    engine: Engine
    embedder: TimedEmbedder
    conversation: Conversation
    labels: dict[int, str] = field(default_factory=dict)
    contents: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)

    def remember(self) -> None:
        """Add every session, then wait for the vectors."""
        for session in self.conversation.sessions:
            messages = [{"role": turn.role, "content": turn.content} for turn in session.turns]
            added = self.engine.add(messages, session=session.name, at=session.at)
            for position, turn in zip(added.positions, session.turns, strict=True):
                self.labels[position] = turn.label
                self.contents[turn.label] = turn.content
                self.sessions[turn.label] = session.name
        self.engine.wait_for_vectors()

    def ask(self, number: int, budgets: Sequence[int]) -> QuestionResult:
        """Search and gather contexts for one question, timed, and score what comes back."""
        question = self.conversation.questions[number]
        searching: list[float] = []
        gathering: list[float] = []
        with self.embedder.timing_the_rest(searching):
            found = self.engine.search(question.text, k=_RANKED, now=self.conversation.now)
        _assert_whole(found.degraded, found.pending)
        texts: dict[int, str] = {}
        shown: dict[int, int] = {}
        for budget in budgets:
            with self.embedder.timing_the_rest(gathering):
                context = self.engine.context(
                    question.text, budget=budget, now=self.conversation.now
                )
            _assert_whole(context.degraded, context.pending)
            texts[budget] = context.text
            shown[budget] = len(context.facts)
        evidence = self._evidence(question)
        ranked = [self.labels.get(hit.position) for hit in found]
        return QuestionResult(
            self.conversation.name,
            number,
            question.category,
            ranking_scores(ranked, evidence) if evidence else {},
            {b: context_scores(t, evidence) if evidence.turns else {} for b, t in texts.items()},
            {budget: len(text) for budget, text in texts.items()},
            {_FIRST_HITS: sum(label is None for label in ranked[:_FIRST_HITS]), **shown},
            searching[0],
            dict(zip(budgets, gathering, strict=True)),
        )

    def _evidence(self, question: AskedQuestion) -> Evidence:
        turns = {label: self.contents[label] for label in question.evidence}
        return Evidence(turns, question.sessions, self.sessions, question.answer)


def run_questions(
    conversations: Sequence[Conversation],
    embedder: TimedEmbedder,
    *,
    settings: Settings,
    budgets: Sequence[int],
    progress: Progress,
    facts: bool = True,
) -> list[QuestionResult]:
    """Ask every question of every conversation.

    Args:
        conversations: What to remember and ask.
        embedder: Gives the vectors.
        settings: The engine's; its weights are what is being measured.
        budgets: Sizes of the contexts, in characters.
        progress: Called with a phase, questions done and questions in all.
        facts: Whether facts are extracted as by default, or none at all.

    Returns:
        One result per question, in order.
    """
    results: list[QuestionResult] = []
    total = sum(len(conversation.questions) for conversation in conversations)
    for conversation in conversations:
        progress(conversation.name, len(results), total)
        with (
            tempfile.TemporaryDirectory(prefix="bench-recall-") as folder,
            Engine.open(
                Path(folder, "memory.db"),
                embedder=embedder,
                extractor="auto" if facts else None,
                settings=settings,
            ) as engine,
        ):
            memory = _Memory(engine, embedder, conversation)
            memory.remember()
            for number in range(len(conversation.questions)):
                results.append(memory.ask(number, budgets))
                progress(conversation.name, len(results), total)
    return results


def texts_to_embed(conversations: Sequence[Conversation]) -> list[str]:
    """List what a run will want vectors of."""
    turns = [t.content for c in conversations for s in c.sessions for t in s.turns]
    return turns + [question.text for c in conversations for question in c.questions]


def embedding_times(model: Embedder, questions: Sequence[str]) -> list[float]:
    """Time the model on each question alone, in seconds."""
    model.embed(["the first call loads the model"])
    times = []
    for question in questions:
        started = time.perf_counter()
        model.embed([question])
        times.append(time.perf_counter() - started)
    return times


def summary(
    results: Sequence[QuestionResult], budgets: Sequence[int], embedding: Sequence[float]
) -> dict[str, Any]:
    """Put the figures of one part of a data set together.

    Args:
        results: The questions of the part; in which order their categories come is theirs.
        budgets: The budgets that were asked for.
        embedding: What the model took for each of the questions, in seconds, in the same order.
    """
    return {
        "questions": len(results),
        **_quality(results, budgets),
        "categories": {
            name: _quality([r for r in results if r.category == name], budgets)
            for name in dict.fromkeys(result.category for result in results)
        },
        "context_characters_mean": {
            str(b): round(sum(r.characters[b] for r in results) / len(results), 1) for b in budgets
        },
        "facts_mean": {
            **{f"context@{b}": _mean(r.facts[b] for r in results) for b in budgets},
            f"hits@{_FIRST_HITS}": _mean(r.facts[_FIRST_HITS] for r in results),
        },
        "latency_ms": _latency(results, budgets, embedding),
    }


def _mean(counts: Iterable[int]) -> float:
    found = list(counts)
    return round(sum(found) / len(found), 2)


def _quality(results: Sequence[QuestionResult], budgets: Sequence[int]) -> dict[str, Any]:
    scored = [result for result in results if result.scored]
    return {
        "scored": len(scored),
        "ranking": mean_scores(result.ranking for result in scored),
        "context": {str(b): mean_scores(result.contexts[b] for result in scored) for b in budgets},
    }


def _latency(
    results: Sequence[QuestionResult], budgets: Sequence[int], embedding: Sequence[float]
) -> dict[str, Any]:
    """Summarise the times: the engine's alone, the model's alone, and both for one question."""
    searches = [result.search_seconds for result in results]
    figures: dict[str, Any] = {
        "question_embedding": milliseconds(embedding),
        "search": milliseconds(searches),
        "search_with_embedding": milliseconds(map(sum, zip(searches, embedding, strict=True))),
    }
    for budget in budgets:
        contexts = [result.context_seconds[budget] for result in results]
        both = list(map(sum, zip(searches, contexts, strict=True)))
        figures[f"context@{budget}"] = milliseconds(contexts)
        figures[f"context@{budget}_with_embedding"] = milliseconds(
            map(sum, zip(contexts, embedding, strict=True))
        )
        figures[f"search+context@{budget}"] = milliseconds(both)
        # One question is embedded once: the engine keeps its vector between the two calls.
        figures[f"search+context@{budget}_with_embedding"] = milliseconds(
            map(sum, zip(both, embedding, strict=True))
        )
    return figures


def _assert_whole(degraded: Sequence[str], pending: int) -> None:
    """Refuse figures of an engine that did not do all that it should.

    Raises:
        RuntimeError: A channel was out, or turns had no vectors.
    """
    if degraded or pending:
        raise RuntimeError(f"the answer is degraded: {[*degraded]}, {pending} turns have no vector")
