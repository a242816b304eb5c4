"""Token vectors in a memory: kept beside its vectors, gone with them, told when missing."""

from collections.abc import Callable, Sequence

import pytest

from smriti_es import CallableEmbedder, Engine
from smriti_es.embedders import FloatMatrix
from smriti_es.embedders.tokens import TokenVectors
from smriti_es.projections.vectors.tables import vector_tables
from smriti_es.recall.weights import RecallSettings

OpenEngine = Callable[..., Engine]
Tamper = Callable[..., int]
TURNS = ("The kiln is hot.", "Ana sells lamps.", "The kiln needs new bricks.")


class Counting:
    """The small embedder, counting how often it was called."""

    weak = False
    endpoint = None

    def __init__(self, inner: CallableEmbedder) -> None:
        self.inner = inner
        self.identity = inner.identity
        self.token_space: str | None = "word-sums"
        self.calls: list[str] = []

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.calls.append("embed")
        return self.inner.embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        self.calls.append("embed_tokens")
        made: tuple[FloatMatrix, list[TokenVectors]] = self.inner.embed_tokens(texts)  # type: ignore[attr-defined]
        return made


def token_positions(memory: Engine, generation: int = 1) -> list[int]:
    table = vector_tables(generation).token
    with memory._opened.database.read() as connection:
        found = connection.execute(table.select().order_by(table.c.position))
        return [row.position for row in found if row.log == memory._opened.log.log]


@pytest.fixture
def memory(engine: OpenEngine, embedder: CallableEmbedder) -> Engine:
    opened = engine(embedder=embedder)
    for number, text in enumerate(TURNS):
        opened.add(text, session=f"s{number}", wait_for="vectors")
    return opened


def test_each_turn_has_token_vectors(memory: Engine) -> None:
    assert token_positions(memory) == [turn.position for turn in memory.turns()]


def test_one_call_makes_both_kinds_of_vectors(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    counting = Counting(embedder)
    memory = engine(embedder=counting)
    memory.add(TURNS[0], session="a", wait_for="vectors")
    memory.search("kiln")
    memory.context("kiln")
    assert counting.calls == ["embed_tokens", "embed_tokens"]


def test_a_memory_that_is_not_to_keep_them_has_none(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memory = engine(embedder=embedder, token_vectors=False)
    memory.add(TURNS[0], session="a", wait_for="vectors")
    assert token_positions(memory) == []
    found = memory.search("kiln", explain=True)
    assert found.degraded == ()
    assert "late" not in found[0].explanation


def test_late_interaction_is_among_the_contributions(memory: Engine) -> None:
    found = memory.search("The kiln is hot.", explain=True)
    assert found[0].text == TURNS[0]
    assert found[0].explanation["late"] == pytest.approx(RecallSettings().late)
    assert found[1].explanation["late"] == 0.0  # the worst of those that were compared
    assert found[0].score == pytest.approx(sum(found[0].explanation.values()))


def test_erased_turns_have_no_token_vectors_left(memory: Engine) -> None:
    first, *others = [turn.position for turn in memory.turns()]
    erased = memory.erase(session="s0")
    assert erased.verified
    assert token_positions(memory) == others
    assert first not in others


def test_what_a_memory_lacks_is_told_and_made_by_a_rebuild(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    engine(embedder=embedder, token_vectors=False).add(TURNS[0], session="a", wait_for="vectors")
    memory = engine(embedder=embedder)
    told = (
        "late interaction: turns and facts without token vectors: 1; "
        "`smriti-es projections rebuild vectors` makes them"
    )
    assert memory.search("kiln").degraded == (told,)
    assert memory.status().degraded == (told,)
    assert not memory.rebuild("vectors").equal
    assert memory.search("kiln").degraded == ()
    assert memory.status().degraded == ()
    assert memory.check("vectors")[0].ok


def test_token_vectors_of_another_space_are_not_compared(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    engine(embedder=embedder).add(TURNS[0], session="a", wait_for="vectors")
    other = Counting(embedder)
    other.token_space = "word-sums, projected anew"
    found = engine(embedder=other).search("kiln", explain=True)
    assert "late" not in found[0].explanation
    assert len(found.degraded) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM token_vector_v2_g1 WHERE position = 5",
        "UPDATE token_vector_v2_g1 SET tokens = zeroblob(length(tokens)) WHERE position = 5",
        "UPDATE token_vector_v2_g1 SET tokens = 'text' WHERE position = 5",
        "UPDATE token_vector_v2_g1 SET space = zeroblob(8) WHERE position = 5",
        "UPDATE token_vector_v2_g1 SET digest = zeroblob(16) WHERE position = 5",
        "UPDATE token_vector_v2_g1 SET piece = 1 WHERE position = 5",
        "UPDATE vector_v2_g1 SET has_tokens = 0 WHERE position = 5",
        "INSERT INTO token_vector_v2_g1 SELECT log, position, 1, space, digest, tokens "
        "FROM token_vector_v2_g1 WHERE position = 5",
    ],
)
def test_a_check_finds_token_vectors_that_were_changed(
    memory: Engine, tamper: Tamper, statement: str
) -> None:
    second = list(memory.turns())[1].position
    assert tamper(statement.replace("= 5", f"= {second}")) == 1
    (report,) = memory.check("vectors")
    assert report.positions == (second,)
    memory.search("kiln")
    memory.rebuild("vectors")
    assert memory.check("vectors")[0].ok


def test_the_past_and_its_replay_compare_the_same_tokens(memory: Engine) -> None:
    then = list(memory.turns())[1].position
    asked = "Does Ana have a kiln?"
    at = memory.at(then).search(asked, explain=True)
    with memory.replay(then) as replay:
        again = replay.search(asked, explain=True)
    assert [(hit.text, hit.score, hit.explanation) for hit in at] == [
        (hit.text, hit.score, hit.explanation) for hit in again
    ]
    assert "late" in at[0].explanation


def test_a_long_turn_is_compared_piece_by_piece(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memory = engine(embedder=embedder)
    long = " ".join(f"word{number}" for number in range(400)) + " and the telescope."
    memory.add(["Nothing here.", long], session="a", wait_for="vectors")
    first, second = [turn.position for turn in memory.turns()]
    assert token_positions(memory) == [first, *[second] * 4]
    assert memory.search("telescope.", k=1)[0].position == second


def test_what_is_quarantined_lends_its_neighbours_nothing(
    engine: OpenEngine, embedder: CallableEmbedder
) -> None:
    memory = engine(embedder=embedder)
    memory.add(["Where is the kiln?", "In Delft.", "Fine."], session="a", wait_for="vectors")
    asked, answer, _ = [turn.position for turn in memory.turns()]

    def parts() -> dict[str, float]:
        (hit,) = [h for h in memory.search("kiln Delft", explain=True) if h.position == answer]
        return dict(hit.explanation)

    assert parts()["neighbour"] > 0.0
    memory.quarantine(turn=asked)
    without = engine(embedder=embedder, location="other.db")
    without.add(["In Delft.", "Fine."], session="a", wait_for="vectors")
    (alone,) = [h for h in without.search("kiln Delft", explain=True) if h.text == "In Delft."]
    assert parts() == pytest.approx(dict(alone.explanation))
