"""The part of a long turn that a question is about.

A text is cut into pieces: its sentences, and a sentence that could not be shown whole into runs of
words. The pieces that share most words with the question are taken first, then those nearest to
them, and all are shown in the order of the text. Source: design page on recall, "packing".
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection
from functools import lru_cache

from smriti_es.projections.lexical.analysis import terms as lexical_terms

GAP = "…"
_BETWEEN = f" {GAP} "
# Room for a mark at both ends of a single piece.
_MARKS = 2 * (len(GAP) + 1)
_SENTENCE_END = re.compile(
    r"[.!?…][\"')\]\u00bb\u201d\u2019]*\s+"
    # Chinese, Japanese, Arabic, Urdu and Devanagari stops; no space has to follow them.
    r"|[\u3002\uff0e\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965][\u300d\u300f\u201d\u2019\uff09]*\s*"
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+\s*"
)
_WORD = re.compile(r"\S+")
_INK = re.compile(r"\S")
# A longer run without a space is a script written without them, or no word at all.
_LONGEST_WORD = 40
_SMALLEST_PIECE = 24
# No script puts more marks on one letter; who does must not make the cut a long search.
_MOST_MARKS = 8
_JOINERS = "\u200d\ufe0e\ufe0f"

# Where it begins in the text and where it ends.
Piece = tuple[int, int]


def excerpt(text: str, terms: Collection[str], limit: int) -> str:
    """Shorten a text to what shares words with the question.

    A text that fits comes back as it is. Nothing is reworded or reordered: between the marks for
    what was left out stand unbroken parts of the text. The result is never longer than `limit`, and
    never empty when `limit` is positive and the text is not blank.

    Args:
        text: What was said.
        terms: The question's terms, as the lexical index spells them.
        limit: The most characters to give back, marks included.

    Returns:
        The text, or parts of it with "…" for every gap.
    """
    if len(text) <= limit:
        return text
    if limit <= _MARKS:
        return GAP if limit > 0 else ""
    pieces = _pieces(text, limit - _MARKS)
    worth = _by_worth(pieces, _matches(text, frozenset(terms)), _opening(text, pieces))
    return _shown(text, pieces, _chosen(pieces, worth, limit))


def _chosen(pieces: list[Piece], worth: list[int], limit: int) -> list[int]:
    """Take the pieces that fit together, best first; number them in the order of the text."""
    chosen: list[int] = []
    left = limit
    for number in worth:
        place = bisect_left(chosen, number)
        before = chosen[place - 1] if place else -1
        after = chosen[place] if place < len(chosen) else len(pieces)
        first, last = pieces[number]
        around = _between(pieces, before, number) + _between(pieces, number, after)
        cost = last - first + around - _between(pieces, before, after)
        if cost <= left:
            chosen.insert(place, number)
            left -= cost
    return chosen


def _between(pieces: list[Piece], before: int, after: int) -> int:
    """Count the characters shown between two pieces; -1 and the number of pieces are the ends."""
    at_start, at_end = before < 0, after == len(pieces)
    if after == before + 1:
        return 0 if at_start or at_end else pieces[after][0] - pieces[before][1]
    if at_start and at_end:
        return 0
    return len(GAP) + 1 if at_start or at_end else len(_BETWEEN)


def _pieces(text: str, longest: int) -> list[Piece]:
    """Cut a text into sentences without their outer space, and longer ones into runs of words."""
    pieces: list[Piece] = []
    start = 0
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    for end in [*ends, len(text)]:
        sentence = text[start:end]
        first = start + len(sentence) - len(sentence.lstrip())
        last = start + len(sentence.rstrip())
        if last - first > longest:
            pieces.extend(_runs_of_words(text, first, last, longest))
        elif last > first:
            pieces.append((first, last))
        start = end
    return pieces


def _runs_of_words(text: str, first: int, last: int, longest: int) -> list[Piece]:
    size = min(longest, max(_SMALLEST_PIECE, longest // 4))
    runs: list[Piece] = []
    start = first
    while last - start > size:
        cut = _cut_before(text, start, start + size)
        end = start + len(text[start:cut].rstrip())
        runs.append((start, end))
        following = _INK.search(text, cut)
        start = following.start() if following else last
    runs.append((start, last))
    return runs


def _cut_before(text: str, start: int, end: int) -> int:
    """Give the last place up to `end` that cuts no word, or else no character, in two."""
    for place in range(end, start, -1):
        if text[place].isspace():
            return place
    for place in range(end, max(start, end - _MOST_MARKS), -1):
        if not (unicodedata.combining(text[place]) or text[place] in _JOINERS):
            return place
    return end


def _matches(text: str, terms: frozenset[str]) -> list[tuple[int, str]]:
    """Find where the question's terms stand in a text, in order of place."""
    found: list[tuple[int, str]] = []
    for match in _WORD.finditer(text):
        word = match[0]
        if len(word) <= _LONGEST_WORD:
            found.extend((match.start(), term) for term in terms.intersection(_terms_of(word)))
        else:
            found.extend(_matches_inside(match.start(), word, terms))
    found.sort()
    return found


@lru_cache(maxsize=16_384)
def _terms_of(word: str) -> frozenset[str]:
    return frozenset(lexical_terms(word))


def _matches_inside(start: int, run: str, terms: frozenset[str]) -> list[tuple[int, str]]:
    folded = run.lower()
    found: list[tuple[int, str]] = []
    for term in terms.intersection(lexical_terms(run)):
        places = [match.start() for match in re.finditer(re.escape(term), folded)]
        # Folding can change how a term is spelt; then only the run is known.
        found.extend((start + min(place, len(run) - 1), term) for place in places or [0])
    return found


def _opening(text: str, pieces: list[Piece]) -> int:
    """Number the piece that is all of the first sentence and so says what the text is about.

    The beginning of a sentence that was cut says nothing, which is -1.
    """
    if len(pieces) < 2:
        return -1
    end = _SENTENCE_END.search(text, pieces[0][0])
    return 0 if end and end.end() <= pieces[1][0] else -1


def _by_worth(pieces: list[Piece], matches: list[tuple[int, str]], opening: int) -> list[int]:
    """Number the pieces, best first: most terms, then nearest to one with a term, then first."""
    places = [place for place, _ in matches]
    counts: list[int] = []
    for first, last in pieces:
        inside = matches[bisect_left(places, first) : bisect_left(places, last)]
        counts.append(len({term for _, term in inside}))
    matching = [number for number, count in enumerate(counts) if count]

    def worth(number: int) -> tuple[float, int, int]:
        bonus = 0.5 if number == opening else 0.0
        return (-counts[number] - bonus, _distance(number, matching), number)

    return sorted(range(len(pieces)), key=worth)


def _distance(number: int, matching: list[int]) -> int:
    place = bisect_right(matching, number)
    near = matching[max(place - 1, 0) : place + 1]
    return min((abs(number - other) for other in near), default=0)


def _shown(text: str, pieces: list[Piece], chosen: list[int]) -> str:
    if not chosen:
        return ""
    runs: list[Piece] = []
    before = -2
    for number in chosen:
        first, last = pieces[number]
        if number == before + 1:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
        before = number
    shown = _BETWEEN.join(text[first:last] for first, last in runs)
    lead = f"{GAP} " if chosen[0] > 0 else ""
    tail = f" {GAP}" if chosen[-1] < len(pieces) - 1 else ""
    return f"{lead}{shown}{tail}"
