"""Conversations out of a generator: as many turns as a bench wants, the same on every machine.

Words are made of syllables and drawn by Zipf's law from an open vocabulary, amid the little words
of English, names and numbers, so that terms are as common and as rare as in what people write. A
smaller number of turns is a beginning of a larger one.
"""

import hashlib
import random
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import accumulate
from typing import Final

import numpy as np
import numpy.typing as npt

from smriti_es import SessionInput
from smriti_es.embedders import EmbedderIdentity, FloatMatrix
from smriti_es.embedders.tokens import TokenVectors

DIMENSION: Final = 384
TOKEN_DIMENSION: Final = 128
SEED: Final = 20_260_101
TURNS_PER_SESSION: Final = 10

_FIRST: Final = datetime(2023, 1, 1, 8, tzinfo=UTC)
_VOCABULARY: Final = 15_000
_NAMES: Final = 1_500
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_ONSETS: Final = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "br", "tr")
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ou")
_CODAS: Final = ("", "", "n", "r", "l", "s", "m", "nd", "st")
_LITTLE: Final = (  # noqa: SIM905  words read better as a text
    "the and to of a in that it was for on with my we but so at this have not they from when "
    "about just then there would because after before really some our out up been more"
).split()
_OPENINGS: Final = ("I", "We", "They", "My neighbour", "Yesterday I", "Last week we", "Then we")
_ANSWERS: Final = ("Noted", "I see", "Sure", "Let me check", "Good question", "You told me that")
_QUESTIONS: Final = (
    "What did {name} say about {word} and {other}?",
    "When was the {word} {other}?",
    "Who was at the {word} with {name}?",
    "Which {word} did we choose for the {other}?",
    "How much was the {word} from {name}?",
    "Where is the {word} {other} {third}?",
    "Did {name} want the {word} or not?",
    "What happened with {name} in {month}?",
)


@dataclass(frozen=True, slots=True)
class SyntheticTurn:
    """A turn: who said it, in which words, when."""

    role: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SyntheticSession:
    """A session of the generator."""

    name: str
    turns: tuple[SyntheticTurn, ...]

    def as_input(self) -> SessionInput:
        """Write it as the engine takes it."""
        return SessionInput(
            session=self.name,
            messages=[
                {"role": turn.role, "content": turn.text, "timestamp": turn.at}
                for turn in self.turns
            ],
        )


def synthetic_sessions(turns: int, seed: int = SEED) -> Iterator[SyntheticSession]:
    """Make sessions of ten turns of about 190 characters, one every three hours.

    Args:
        turns: How many turns in all; the last session is shorter when they do not divide.
        seed: Another seed makes other conversations.
    """
    for number in range(-(-turns // TURNS_PER_SESSION)):
        count = min(TURNS_PER_SESSION, turns - number * TURNS_PER_SESSION)
        yield synthetic_session(number, count, seed)


def synthetic_session(
    number: int, turns: int = TURNS_PER_SESSION, seed: int = SEED
) -> SyntheticSession:
    """Make one session by its number."""
    draw = random.Random(f"{seed}:{number}")
    start = _FIRST + timedelta(hours=3 * number)
    said = []
    for ordinal in range(turns):
        role = "assistant" if ordinal % 2 else "user"
        opening = draw.choice(_ANSWERS if ordinal % 2 else _OPENINGS)
        text = " ".join(_sentence(draw, opening) for _ in range(draw.choice((2, 2, 3, 3, 3))))
        said.append(SyntheticTurn(role, text, start + timedelta(seconds=40 * ordinal)))
    return SyntheticSession(f"synthetic-{number:06d}", tuple(said))


def synthetic_questions(count: int, turns: int, seed: int = SEED) -> list[str]:
    """Make questions, each about a turn among the first `turns`; one in eight names a month."""
    draw = random.Random(f"{seed}:questions")
    return [_question(draw, number, turns, seed) for number in range(count)]


def last_instant(turns: int) -> datetime:
    """Tell when the last of so many turns was said, rounded up to its session's end."""
    return _FIRST + timedelta(hours=3 * (-(-turns // TURNS_PER_SESSION)))


class WordVectors:
    """Cheap vectors: the normalised sum of one vector of +1 and -1 per word.

    Texts that share words are near to each other, so that an index meets real neighbourhoods, and
    no model has to run.

    Args:
        tokens: Whether to give token vectors as well: the first third of its vector for each word.
    """

    def __init__(self, *, tokens: bool = False) -> None:
        self.token_space = f"word-signs-{TOKEN_DIMENSION}" if tokens else None

    weak = False
    identity = EmbedderIdentity(
        kind="callable",
        model="word-signs",
        revision="1",
        dimension=DIMENSION,
        pooling="model",
        normalised=True,
        max_tokens=0,
    )

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order."""
        rows = [np.sum([_signs(w) for w in _words(text)], axis=0, dtype=np.int32) for text in texts]
        sums = np.array(rows, np.float32)
        vectors: FloatMatrix = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts, and each of their words: (words, 128) float32, unit length."""
        return self.embed(texts), [_word_tokens(text) for text in texts]


def _word_tokens(text: str) -> TokenVectors:
    found = list(_WORD.finditer(text))
    signs = [_signs(each[0].lower())[:TOKEN_DIMENSION] for each in found]
    vectors = np.array(signs, np.float32).reshape(-1, TOKEN_DIMENSION) / np.sqrt(TOKEN_DIMENSION)
    return TokenVectors(vectors.astype(np.float32), tuple(each.span() for each in found))


def _words(text: str) -> list[str]:
    return [word.strip(".,?") for word in text.lower().split()] or ["_"]


@lru_cache(maxsize=50_000)
def _signs(word: str) -> npt.NDArray[np.int8]:
    digest = hashlib.shake_128(word.encode()).digest(DIMENSION // 8)
    bits = np.unpackbits(np.frombuffer(digest, np.uint8))
    return bits.astype(np.int8) * 2 - 1


def _sentence(draw: random.Random, opening: str) -> str:
    words = [opening]
    for _ in range(draw.randint(7, 15)):
        kind = draw.random()
        if kind < 0.45:
            words.append(draw.choice(_LITTLE))
        elif kind < 0.92:
            words.append(_zipf(draw, lexicon(_VOCABULARY, "words")))
        elif kind < 0.98:
            words.append(_zipf(draw, lexicon(_NAMES, "names")).title())
        else:
            words.append(str(draw.randint(2, 2_030)))
    return f"{' '.join(words)}."


def _question(draw: random.Random, number: int, turns: int, seed: int) -> str:
    """Ask about words and a name that one turn holds."""
    session = synthetic_session(draw.randrange(max(1, turns // TURNS_PER_SESSION)), seed=seed)
    turn = draw.choice(session.turns)
    said = [word.strip(".") for word in turn.text.split()]
    words = [word for word in said if word in _known(_VOCABULARY, "words")]
    names = [word for word in said if word.lower() in _known(_NAMES, "names") and word.istitle()]
    word, other, third = draw.sample(words, 3)
    return _QUESTIONS[number % len(_QUESTIONS)].format(
        name=draw.choice(names or ["she"]),
        word=word,
        other=other,
        third=third,
        month=f"{turn.at:%B %Y}",
    )


def _zipf(draw: random.Random, words: tuple[str, ...]) -> str:
    """Draw a word; the n-th is n times rarer than the first."""
    cumulative = _zipf_weights(len(words))
    return words[bisect(cumulative, draw.random() * cumulative[-1])]


@cache
def _zipf_weights(count: int) -> list[float]:
    return list(accumulate(1.0 / rank for rank in range(1, count + 1)))


@cache
def lexicon(count: int, purpose: str) -> tuple[str, ...]:
    """Make words that can be spoken, each once; another purpose gives others.

    Args:
        count: How many.
        purpose: What they are for.
    """
    draw = random.Random(f"{SEED}:{purpose}")
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = (draw.choice(_ONSETS) + draw.choice(_VOWELS) for _ in range(draw.randint(1, 3)))
        words["".join(syllables) + draw.choice(_CODAS)] = None
    return tuple(words)


@cache
def _known(count: int, purpose: str) -> frozenset[str]:
    return frozenset(lexicon(count, purpose))
