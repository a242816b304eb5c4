"""Cut a long text into pieces that a model reads to their end.

A model ignores what lies beyond its window, so that a sentence at the end of a long turn could
never be found by its meaning. Each piece is embedded on its own and stands for the whole turn.
"""

import re

from smriti_es.events.errors import InvalidInput

# The position behind each match is a good place to stop: sentences first, then words.
_SENTENCE_END = re.compile(r"[.!?…][\"'”\u2019)\]]*\s+|[。\uff01\uff1f]|\n+")
_WORD_END = re.compile(r"\s+")
_WORD_START = re.compile(r"(?<=\s)\S")


def chunks(text: str, *, limit: int = 1000, overlap: int = 100) -> list[str]:
    """Split a text at sentence or word borders into overlapping pieces.

    Every character of the text is in at least one piece, and no piece is longer than `limit`. The
    same text always gives the same pieces.

    Args:
        text: Any text; one that fits is returned whole.
        limit: The most characters of a piece, at least 1.
        overlap: The most characters that a piece repeats from the one before, 0 to limit - 1.

    Returns:
        The pieces in text order; `[text]` when it fits.

    Raises:
        InvalidInput: The limit or the overlap is out of range.
    """
    return [text[start:end] for start, end in chunk_spans(text, limit=limit, overlap=overlap)]


def chunk_spans(text: str, *, limit: int = 1000, overlap: int = 100) -> list[tuple[int, int]]:
    """Say where the pieces of `chunks` lie: half-open character offsets in text order."""
    if limit < 1 or not 0 <= overlap < limit:
        raise InvalidInput(
            f"cannot cut a text into pieces of {limit} characters that share {overlap}",
            hint="Give a limit of at least 1 and an overlap from 0 to limit - 1.",
            field="limit" if limit < 1 else "overlap",
        )
    spans = []
    start = 0
    while len(text) - start > limit:
        end = _piece_end(text, start, limit, overlap)
        spans.append((start, end))
        start = _next_start(text, end, overlap)
    spans.append((start, len(text)))
    return spans


def _piece_end(text: str, start: int, limit: int, overlap: int) -> int:
    """The last sentence border, else the last word border, else the last character that fits."""
    # Never earlier than half of what is new in the piece: the number of pieces stays in proportion.
    earliest = start + overlap + (limit - overlap) // 2 + 1
    latest = start + limit
    for border in (_SENTENCE_END, _WORD_END):
        ends = [
            match.end() for match in border.finditer(text, start, latest) if match.end() >= earliest
        ]
        if ends:
            return ends[-1]
    return latest


def _next_start(text: str, end: int, overlap: int) -> int:
    """The first word that begins within the overlap, else the overlap's first character."""
    match = _WORD_START.search(text, end - overlap, end)
    return match.start() if match else end - overlap
