"""The one analysis of text into terms, for the index and for the query, on every database.

It runs before a database sees the text, so SQLite and PostgreSQL hold the same terms, and no query
text is ever read as query syntax. It is pure: no locale, no setting, no clock. Source: design page
on projections, "Full text"; decision 30.

What becomes a term:

- **words** of scripts with spaces: case and accents folded; those of ASCII letters stemmed for
  English, those of Cyrillic, Greek, Arabic, Devanagari, Tamil and Armenian letters for the language
  that most often uses them;
- **numbers**: without the marks between groups of digits;
- **identifiers** (`user_name`, `bay7-valve`, `getUserName`, `GB/s`, `v1.2`): the whole, and each
  part;
- **runs** of scripts without spaces (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese):
  overlapping pairs of characters. The index also holds every single ideograph and Hangul syllable,
  so that a query of one character matches; a longer query asks for pairs only, which is why
  `query_terms` exists;
- **pictographs**: each by itself, and a joined sequence also as a whole.

A term has 1 to 64 characters, no white space, and of ASCII nothing but `[a-z0-9_]`.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import Stemmer

from smriti_es.projections.lexical.scripts import (
    BEFORE_NORMALISATION,
    DEAD_NASAL,
    FLAG_LETTERS,
    HANGUL,
    IDEOGRAPHS,
    JOINER,
    NASAL_DOT,
    PICTOGRAPHS,
    UNSPACED,
    UNSPACED_MARKS,
    Folding,
)
from smriti_es.projections.lexical.stop_words import FUNCTION_WORDS, STOP_WORDS
from smriti_es.projections.lexical.stop_words_elsewhere import (
    LATIN_STOP_WORDS,
    OTHER_STOP_WORDS,
    STOP_RUNS,
)

__all__ = ["STOP_WORDS", "TERM_LIMIT", "content_terms", "query_terms", "terms"]

TERM_LIMIT = 64
_MEMO_LIMIT = 1 << 16  # distinct tokens; a long conversation has a fifth of that

# One mark between two word characters joins them; so does the comma of "1,000". Two marks part
# them, save underscores and the colons of "std::vector".
_GROUP = "(?=[0-9]{3}(?![0-9])|[0-9]{2}(?:,[0-9]{2}){0,4},[0-9]{3}(?![0-9]))"  # 1,000 and 1,00,000
_JOIN = rf"(?:[.'/:@&\\-]|_+|::|(?<=[0-9]),{_GROUP})"
_ASCII_WORD = "[0-9A-Za-z]"
# After folding, everything beyond ASCII is a letter, a number, a mark or a pictograph.
_ANY_WORD = rf"[^\x00-/:-@\[-`{{-\x7f{JOINER}{UNSPACED}{PICTOGRAPHS}]"
_PICTURES = f"[{FLAG_LETTERS}]{{2}}|[{PICTOGRAPHS}](?:{JOINER}[{PICTOGRAPHS}])*"

_ASCII_TOKENS = re.compile(f"{_ASCII_WORD}+(?:{_JOIN}{_ASCII_WORD}+)*")
_ALL_TOKENS = re.compile(f"{_PICTURES}|[{UNSPACED}]+|{_ANY_WORD}+(?:{_JOIN}{_ANY_WORD}+)*")
_LOOSE_JOINER = re.compile(f"(?<![{PICTOGRAPHS}]){JOINER}|{JOINER}(?![{PICTOGRAPHS}])")

_PICTURE_START = re.compile(f"[{PICTOGRAPHS}]")
_RUN_START = re.compile(f"[{UNSPACED}]")
_RUN_UNIT = re.compile(f".[{UNSPACED_MARKS}]*")
_LONE_UNIT = re.compile(f"[{IDEOGRAPHS}{HANGUL}]")

_JOINS = re.compile(r"[._/:@&\\-]+")
_CLITIC = re.compile(r"'(?:s|ll|ve|d|re|m)$")
_HUMP = re.compile("[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_PLURAL_ACRONYM = re.compile("[A-Z]{2,}s")
_CAMEL_PART = re.compile("[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+")

_GROUPED_NUMBER = re.compile("[0-9]{1,3}(?:[._'][0-9]{3})+")
# Blanks that do not break a line stand between groups of digits: "1 000".
_NUMBER_BLANK = re.compile("(?<=[0-9])[\u00a0\u2007\u2009\u202f](?=[0-9]{3}(?![0-9]))")
# "C++" and "C#" are names.
_MARKED_LETTER = re.compile(r"(?<![\w+#])([A-Za-z])(\+\+|#)(?![\w+#])")
_MARK_NAMES = {"++": "plusplus", "#": "sharp"}

_FOLDING = Folding()
# One stemmer for each alphabet, since no language is known; of one that several languages share, it
# is that of the most readers. Words of one alphabet never meet another's stemmer.
_STEMMERS = tuple(
    (re.compile(letters), Stemmer.Stemmer(language, 0))
    for letters, language in (
        ("[a-z]+", "english"),
        ("[\u0400-\u04ff]+", "russian"),
        ("[\u0370-\u03ff]+", "greek"),
        ("[\u0621-\u064a]+", "arabic"),
        ("[\u0900-\u0963]+", "hindi"),
        ("[\u0b80-\u0bff]+", "tamil"),
        ("[\u0561-\u0587]+", "armenian"),
    )
)
_STEMMER_LOCK = threading.Lock()


class _Entry(NamedTuple):
    word: str  # folded and whole, as the stop words are written
    term: str


def terms(text: str) -> list[str]:
    """Analyse a text for the index.

    Equal text gives equal terms, in every process and locale; any text will do.

    Args:
        text: What was said, in any script; may be empty, and may hold control characters.

    Returns:
        The terms in reading order, one for each occurrence; their number is the length that BM25
        uses.
    """
    known = _INDEX
    return [term for token in _tokens(text) for term in known[token]]


def query_terms(text: str) -> list[str]:
    """Analyse a question: as `terms`, but a run of two or more characters gives its pairs alone.

    Args:
        text: The question. Nothing in it is an operator.

    Returns:
        The terms in reading order, with repeats. Every one of them is in `terms` of the same text.
    """
    return [entry.term for entry in _query_entries(text)]


def content_terms(question: str) -> list[str]:
    """Give the terms of a question that say what it is about.

    Args:
        question: The question. Nothing in it is an operator.

    Returns:
        The terms without stop words, in order, each once; if only stop words were asked, all query
        terms, so that such a question still searches. Every one of them is in `terms` of the same
        text.
    """
    entries = list(_content_entries(question))
    stop_words = _stop_words_of([entry.word for entry in entries])
    content = [entry for entry in entries if entry.word not in stop_words]
    content = content or entries or _query_entries(question)
    return list(dict.fromkeys(entry.term for entry in content))


def _tokens(text: str) -> list[str]:
    if "++" in text or "#" in text:
        text = _MARKED_LETTER.sub(lambda match: match[1] + _MARK_NAMES[match[2]], text)
    if not text.isascii():
        text = _NUMBER_BLANK.sub("", text).translate(BEFORE_NORMALISATION)
    if text.isascii():
        return _ASCII_TOKENS.findall(text)
    text = DEAD_NASAL.sub(NASAL_DOT, unicodedata.normalize("NFKC", text)).translate(_FOLDING)
    if JOINER in text:
        text = _LOOSE_JOINER.sub("", text)
    return _ALL_TOKENS.findall(text)


class _IndexTerms(dict[str, tuple[str, ...]]):
    """The index terms of each token seen. A cache: it forgets everything when it is full.

    Runs stay out, since they are as long as sentences and seldom come twice.
    """

    def __missing__(self, token: str) -> tuple[str, ...]:
        if _RUN_START.match(token):
            return tuple(_run_terms(token, lone=True))
        found = tuple(entry.term for entry in _word_entries(token))
        if len(token) <= TERM_LIMIT:
            if len(self) >= _MEMO_LIMIT:
                self.clear()
            self[token] = found
        return found


_INDEX = _IndexTerms()


def _query_entries(text: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for token in _tokens(text):
        if _RUN_START.match(token):
            entries.extend(_Entry(term, term) for term in _run_terms(token, lone=False))
        else:
            entries.extend(_word_entries(token))
    return entries


def _content_entries(question: str) -> Iterable[_Entry]:
    """Give the entries of a question, a run falling apart at the words that only ask."""
    for token in _tokens(question):
        if _RUN_START.match(token):
            for piece in STOP_RUNS.split(token):
                units = _RUN_UNIT.findall(piece)
                if len(units) > 1 or (units and _LONE_UNIT.fullmatch(units[0])):
                    yield from (_Entry(term, term) for term in _run_terms(piece, lone=False))
        else:
            yield from _word_entries(token)


def _stop_words_of(words: Sequence[str]) -> frozenset[str]:
    """Give the stop words of the language that a question is written in; English in doubt."""
    known = sum(word in FUNCTION_WORDS for word in words)
    best, language = max(
        (sum(word in stops for word in words), name) for name, stops in LATIN_STOP_WORDS.items()
    )
    if best >= 2 and best > known:
        return LATIN_STOP_WORDS[language] | OTHER_STOP_WORDS
    return _ENGLISH_STOP_WORDS


_ENGLISH_STOP_WORDS = STOP_WORDS | OTHER_STOP_WORDS


def _run_terms(run: str, *, lone: bool) -> Iterable[str]:
    """Cut a run into pairs; with `lone`, give the characters that mean something alone as well."""
    units = _RUN_UNIT.findall(run)
    if len(units) == 1:
        yield units[0][:TERM_LIMIT]
        return
    for left, right in pairwise(units):
        yield (left + right)[:TERM_LIMIT]
    if lone:
        yield from (unit for unit in units if _LONE_UNIT.fullmatch(unit))


def _word_entries(token: str) -> Iterable[_Entry]:
    if _PICTURE_START.match(token):
        return _picture_entries(token)
    parts = _JOINS.split(token.replace(",", ""))
    if len(parts) == 1:
        return _part_entries(parts[0])
    whole = "_".join(_folded(part.replace("'", "")) for part in parts)[:TERM_LIMIT]
    entries = [_Entry(whole, whole), *(entry for part in parts for entry in _part_entries(part))]
    if _GROUPED_NUMBER.fullmatch(token):  # 1.000 is a thousand to some, 1 to others
        number = "".join(parts)[:TERM_LIMIT]
        entries.append(_Entry(number, number))
    return entries


def _picture_entries(token: str) -> Iterable[_Entry]:
    pictures = token.split(JOINER)
    if len(pictures) > 1:
        pictures.insert(0, token[:TERM_LIMIT])
    return [_Entry(picture, picture) for picture in pictures]


def _part_entries(part: str) -> Iterable[_Entry]:
    """Give a word, and the parts of one that is written in camel case."""
    joined = part.replace("'", "")
    if _PLURAL_ACRONYM.fullmatch(joined):
        return [_entry(joined[:-1])]
    word = joined
    if "'" in part and _folded(joined) not in FUNCTION_WORDS:
        word = _CLITIC.sub("", part.lower()).replace("'", "")
    return [_entry(word), *(_entry(hump) for hump in _humps(joined))]


def _humps(word: str) -> list[str]:
    if not _HUMP.search(word) or len(word) > TERM_LIMIT:
        return []
    # "iPhone" and "PhD" are one word: it takes two parts of some length to make an identifier.
    parts = [part for part in _CAMEL_PART.findall(word) if len(part) >= 2]
    return parts if len(parts) >= 2 else []


def _entry(word: str) -> _Entry:
    folded = _folded(word)
    if folded in FUNCTION_WORDS:
        return _Entry(folded, folded)
    for letters, stemmer in _STEMMERS:
        if letters.fullmatch(folded):
            with _STEMMER_LOCK:  # a stemmer has inner state
                return _Entry(folded, stemmer.stemWord(folded) or folded)
    return _Entry(folded, folded)


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()[:TERM_LIMIT]
    return unicodedata.normalize("NFC", word.casefold())[:TERM_LIMIT]
