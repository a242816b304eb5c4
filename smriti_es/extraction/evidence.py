"""Which turns support what a model says it found in them, and with which words.

Trust and erasure follow the supporting turns (design: decision 33), so that a model may not choose
them freely: a turn supports a fact only by words that stand in it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from smriti_es.embedders.chunking import chunk_spans
from smriti_es.extraction.contract import Evidence, SourceTurn
from smriti_es.projections.lexical.analysis import content_terms

QUOTE_LENGTH_MAX = 1000
_SENTENCE_LENGTH_MAX = 400
_TURNS_MAX = 8
_SENTENCE_END = re.compile(
    "[.!?\u2026][\"')\\]\u00bb\u201d\u2019]*\\s+|[\u3002\uff01\uff1f\u0964]\\s*|\\n\\s*"
)
_APOSTROPHES = "['\u2018\u2019`]"
_AROUND_QUOTE = " \t\r\n\"'\u2018\u2019\u201c\u201d\u2026"
_REFERENCE = re.compile(r"(?:turns?\s*)?#?([0-9]{1,9})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Support:
    """What supports a fact.

    Attributes:
        evidence: Turns and words, in the order of the log; empty when nothing does.
        said_at: When the words that count were said, microseconds since the epoch.
        invented: References to turns that do not exist, as text.
        quote_replaced: The quote stands in none of the turns; other words of theirs took its place.
    """

    evidence: tuple[Evidence, ...] = ()
    said_at: int = 0
    invented: tuple[str, ...] = ()
    quote_replaced: bool = False


class EvidenceFinder:
    """Finds support in the turns that a model was shown.

    Args:
        turns: By the number under which each was shown.
    """

    def __init__(self, turns: Mapping[int, SourceTurn]) -> None:
        self._turns = turns
        self._sentences: dict[int, list[tuple[str, frozenset[str]]]] = {}

    def support(self, references: object, quote: str, claim: str) -> Support:
        """Find what supports a claim.

        The quote's turn counts, even where the model names another; each other turn it names counts
        when one of its sentences shares a word with the claim, and that sentence is then its quote.
        A model that names no turn and quotes nothing is believed where half of the claim's words
        stand in one sentence. One that names only turns that do not exist is not believed.

        Args:
            references: Numbers of turns, in whatever form the model gave them.
            quote: The words that it quotes, or "".
            claim: What is to be supported.
        """
        named, invented = self._named(references)
        if invented and not named:
            return Support(invented=invented)
        words = frozenset(content_terms(claim))
        quoted = self._quoted(quote, named)
        found = dict(quoted)
        for number in named:
            sentence, shared = self._best_sentence(number, words)
            if number not in found and shared:
                found[number] = sentence
        if not found and not named:
            found = self._likeliest(words)
        if not found:
            return Support(invented=invented)
        numbers = sorted(found)[:_TURNS_MAX]
        return Support(
            tuple(Evidence(self._turns[number].position, found[number]) for number in numbers),
            self._turns[min(quoted) if quoted else numbers[-1]].said_at,
            invented,
            quote_replaced=bool(quote) and not quoted,
        )

    def _named(self, references: object) -> tuple[list[int], tuple[str, ...]]:
        """The numbers that exist, and what was given besides."""
        listed = references if isinstance(references, list) else [references]
        given = [one for one in listed if one is not None and one != ""]
        numbers = [(one, _number(one)) for one in given]
        named = [number for _, number in numbers if number in self._turns]
        invented = [str(one)[:40] for one, number in numbers if number not in self._turns]
        return list(dict.fromkeys(number for number in named if number)), tuple(invented)

    def _quoted(self, quote: str, named: Iterable[int]) -> dict[int, str]:
        """The turns in which the quote stands: of those named, else of all."""
        among_named = self._spans(quote, named)
        return among_named or self._spans(quote, self._turns)

    def _spans(self, quote: str, numbers: Iterable[int]) -> dict[int, str]:
        spans = ((number, find_quote(quote, self._turns[number].text)) for number in numbers)
        return {number: span[:QUOTE_LENGTH_MAX] for number, span in spans if span}

    def _likeliest(self, words: frozenset[str]) -> dict[int, str]:
        best = {number: self._best_sentence(number, words) for number in self._turns}
        most = max((shared for _, shared in best.values()), default=0)
        if not words or most * 2 < len(words):
            return {}
        return {number: sentence for number, (sentence, shared) in best.items() if shared == most}

    def _best_sentence(self, number: int, words: frozenset[str]) -> tuple[str, int]:
        """The first sentence of those that share most words, and how many they are."""
        if number not in self._sentences:
            text = self._turns[number].text
            self._sentences[number] = [
                (sentence, frozenset(content_terms(sentence))) for sentence in _sentences(text)
            ]
        best, most = "", 0
        for sentence, terms in self._sentences[number]:
            if len(terms & words) > most:
                best, most = sentence, len(terms & words)
        return best, most


def find_quote(quote: str, text: str) -> str | None:
    """Find a quote in a text, whatever its case, white space, apostrophes and final stop.

    Returns:
        The words exactly as they stand in the text; None when they do not.
    """
    core = quote[: 2 * QUOTE_LENGTH_MAX].strip(_AROUND_QUOTE)
    for attempt in (core, core.strip(".!?,;: ")):
        if any(char.isalnum() for char in attempt):
            match = re.search(_quote_pattern(attempt), text, re.IGNORECASE)
            if match is not None:
                return match[0]
    return None


def _quote_pattern(quote: str) -> str:
    words = (re.sub(_APOSTROPHES, "'", re.escape(word)) for word in quote.split())
    pattern = r"\s+".join(word.replace("'", _APOSTROPHES) for word in words)
    # "art" is not quoted from "start"; scripts without spaces have no such borders.
    before = "(?<![0-9A-Za-z])" if quote[0].isascii() and quote[0].isalnum() else ""
    after = "(?![0-9A-Za-z])" if quote[-1].isascii() and quote[-1].isalnum() else ""
    return before + pattern + after


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        for first, last in chunk_spans(sentence, limit=_SENTENCE_LENGTH_MAX, overlap=0):
            if piece := sentence[first:last].strip():
                yield piece
        start = end


def _number(reference: object) -> int | None:
    """Read a reference to a turn: 3, 3.0, "3", "turn 3"; None for anything else."""
    if isinstance(reference, str):
        match = _REFERENCE.fullmatch(reference.strip())
        return int(match[1]) if match else None
    if isinstance(reference, float):
        return int(reference) if reference.is_integer() else None
    whole = isinstance(reference, int) and not isinstance(reference, bool)
    return reference if whole and isinstance(reference, int) else None
