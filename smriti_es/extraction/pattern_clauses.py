"""Cuts a turn into the clauses that a pattern may read: one speaker's own plain statements.

A pattern is only tried where a statement begins, so most of what must not be believed is gone
before any pattern runs: questions, conditions, hearsay, quotations, code, texts somebody asks to
have written, and whatever hangs on a subordinate clause.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from smriti_es.extraction.pattern_taking_back import may_take_back, taken_back
from smriti_es.extraction.pattern_words import words
from smriti_es.projections.speakers import speaker_in_text

_SENTENCE_LENGTH_MAX = 400
_WORDS = re.compile(r"[a-z]+|[0-9]+")

_STRAIGHT = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u2013": "-"}
)
_HIDDEN = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*>[^\n]*"  # code and quoted lines
    r"""|"[^"]*?\s[^"]*?\s[^"]*"|"[^"]*\Z""",  # what three words or more between quotes say
    re.DOTALL | re.MULTILINE,
)
# What is capitalised throughout is a title, not a saying.
_TITLE_WORD = r"(?!I\b)(?:[A-Z][\w'-]*|of|the|and|a|in|to|for|on|&)"
_TITLE = re.compile(rf'"{_TITLE_WORD}(?: {_TITLE_WORD}){{0,7}}"')
# Somebody is to write or to play, so the first person in the turn is made up.
_MAKING_UP = words(
    """translate translation rephrase reword rewrite paraphrase proofread transcribe roleplay role
    lyrics poem haiku limerick monologue screenplay fanfiction fan act pretend imagine grammar
    example instance e hypothetical hypothetically joke write writing draft compose continue tell
    complete"""
)
_MADE_UP = re.compile(
    r"\b(?:translat(?:e|ion)|rephrase|reword|rewrite|paraphrase|proofread|transcribe|role-?play"
    r"|lyrics|poem|haiku|limerick|monologue|screenplay|fan-?fiction|act as|pretend|imagine"
    r"|grammar|for example|for instance|e\.g\.|an example|hypothetical(?:ly)?|as a joke"
    r"|(?:writ(?:e|ing)|draft|compose|continue|tell me|complete) (?:me |us )?"
    r"(?:an? |the |this |my )?(?:\w+ ){0,2}"
    r"(?:story|song|dialogue|scene|script|character|essay|speech|novel|fiction|bio))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:[^.!?\u2026\n\U0001f000-\U0001faff\u2600-\u27bf]|[.!?](?=[\w,;]))+"
    r"(?P<end>[.!?\u2026]*)"
)
_ABBREVIATED = re.compile(
    r"(?:\b(?:St|Dr|Mr|Mrs|Ms|Jr|Sr|Mt|Ft|vs|Inc|Ltd|Co|Corp|No|approx|[A-HJ-Z])|\b[A-Z]\.[A-Z])$"
)
_EMOTICON = re.compile(r"(?<!\S)(?:[:;=8][-'o]?[)(DPpO/|*3]+|<3|[xX]D|\^\^)(?!\w)")
# One of these words in a sentence is enough to doubt all of it.
_DOUBT = words(
    """if unless whether suppose supposing supposedly assume assuming assumed wish wished wishing
    dreamed dreamt maybe perhaps probably possibly hopefully allegedly doubt kinda kidding jk lol
    joking might could would should says said saying tells told asks asked claim claims claimed
    according quote quotes quoting hears heard wrote writes reads believes thinks insists pretended
    lie lied"""
)
_DOUBTFUL = re.compile(
    r"\b(?:i guess|i think|not sure|sort of|kind of|or something|so to speak|once upon|may be"
    r"|it's not that|not because|as though|let's say|that's a (?:lie|joke))\b"
    r"|[,(\u2014-]\s*not(?: really| true)?\W*$",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"\s*(?:(?:and|but|so|or|even|just|only|except)\s+)?"
    r"(?:when|whenever|before|after|while|until|till|once|wherever|where|by the time"
    r"|as soon as|as long as|every time)\b",
    re.IGNORECASE,
)

_SUBJECT = r"(?:(?:I|i|[Ii]'(?:m|ve|ll|d)|[Ii]m|[Ii]ve|[Ww]e|[Ww]e'(?:re|ve|ll|d)|[Mm]y|[Oo]ur)\b)"
_OPENER = (
    r"(?:(?:yes|yeah|yep|yup|no|nope|nah|well|hi|hey|hello|oh|ah|aw|wow|haha|thanks|thank you|sure"
    r"|ok|okay|right|so|and|but|also|actually|honestly|btw|fyi|anyway|anyways|plus|besides"
    r"|personally|for me|to be honest|unfortunately|sadly|luckily|fortunately|thankfully|recently"
    r"|lately|finally|basically|in fact|as you know|like i said|by the way|good news|bad news"
    r"|guess what|sorry|update|correction|note|my mistake|my bad|i misspoke"
    r"|i was wrong|scratch that|i (?:got|had|said) (?:it|that|this) wrong|i made a mistake"
    r"|let me correct (?:that|myself)|ps|p\.s|hmm|um|uh|you know|look|listen|same here"
    r"|me too|currently|now|right now|these days|nowadays|at the moment|then|again|yet|-|\u2022)"
    r"(?:[,!:]|\b)\s*)"
)
_JOINING = r"(?:and|but|so|because|cause|though|although|since|as|plus|yet|then)"
_OPENERS = re.compile(rf"[\s,]*{_OPENER}*", re.IGNORECASE)
_JOINED_OPENERS = re.compile(rf"[\s,]*(?:{_JOINING}\s+)?{_OPENER}*", re.IGNORECASE)
_SHARED_VERB = (
    r"(?:now\s+|currently\s+)?(?:live|work|study|drive|speak|am|joined|moved|started|adopted|got"
    r"|love|like|hate|enjoy|have|prefer|use|quit|take|own|play|lives|works|studies|drives|speaks"
    r"|loves|likes|hates|enjoys|prefers|owns|plays)\b"
)
_BREAK = re.compile(
    rf"[;()\u2014]|\s-+\s|(?P<comma>,)\s*(?=(?i:{_OPENER}*){_SUBJECT})"
    rf"|\s+(?=(?i:{_JOINING})\s+(?i:{_OPENER}*){_SUBJECT})"
    rf"|(?P<shared>,?\s+and\s+(?={_SHARED_VERB}))"
)
# "Just moved to Oslo": the subject goes without saying, at the head of a sentence only.
_ELIDED = re.compile(
    r"(?:[Jj]ust |[Ff]inally |[Rr]ecently )?(?i:moved|relocated|started|joined|lost my|adopted"
    r"|bought|switched|graduated|broke up|turned|gave up"
    r"|got (?:a|married|engaged|divorced|hired|promoted))\b"
)
_HAS_SUBJECT = re.compile(rf"(?<![\w']){_SUBJECT}(?![\w'])")
# "Ana Maria, I moved" calls somebody; "In May, I moved" says when.
_VOCATIVE = re.compile(
    r"\s*(?!(?:In|On|At|By|Since|Around|Early|Late|Last|This|Next)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a turn in which a statement may stand.

    Attributes:
        text: Its words, apostrophes and quotes straightened, openers such as "Well," taken off.
        start: Offset of its first character in the turn.
        end: Offset after its last.
        shared: It lacks a subject and takes the one of the clause before ("... and work at Acme").
        elided: It lacks a subject and means its speaker ("Just moved to Oslo").
    """

    text: str
    start: int
    end: int
    shared: bool = False
    elided: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn that is no question and does not speak of what only might be.

    Attributes:
        text: The turn, apostrophes and quotes straightened; offsets are those of the turn.
        start: Offset of the sentence.
        end: Offset after its last word.
        words: Its words, in lower case.
    """

    text: str
    start: int
    end: int
    words: frozenset[str]


def sentences(text: str, wanted: Callable[[frozenset[str]], bool]) -> Iterator[Sentence]:
    """Give the sentences of a turn in which its speaker may be stating something, in order.

    Args:
        text: The turn.
        wanted: Tells from the words of a text, in lower case, whether it is worth a look.
    """
    said = words_of(text)
    if not wanted(said):
        return
    if not _MAKING_UP.isdisjoint(said) and _MADE_UP.search(text):
        return
    straight = text.translate(_STRAIGHT)
    offset = min(_after(text, ":"), _after(text, "\uff1a")) if speaker_in_text(text) else 0
    if '"' in straight or "`" in straight or ">" in straight:
        straight = _HIDDEN.sub(_hidden, straight)
    straight = _EMOTICON.sub(lambda match: "\n" * len(match[0]), straight)
    spans = list(_spans(straight, offset))
    gone: frozenset[int] = frozenset()
    if may_take_back(said):
        gone = taken_back(straight[start:end] for start, end, _ in spans)
    for place, (start, end, stated) in enumerate(spans):
        if not stated or place in gone:
            continue
        sentence = Sentence(straight, start, end, words_of(straight[start:end]))
        if wanted(sentence.words) and not _is_doubtful(sentence):
            yield sentence


def _hidden(match: re.Match[str]) -> str:
    return match[0] if _TITLE.fullmatch(match[0]) else "\0" * len(match[0])


def words_of(text: str) -> frozenset[str]:
    """Give the words and numbers of a text, in lower case; "I'm" is two words."""
    return frozenset(_WORDS.findall(text.lower()))


def _is_doubtful(sentence: Sentence) -> bool:
    text, start, end = sentence.text, sentence.start, sentence.end
    return (
        not _DOUBT.isdisjoint(sentence.words)
        or text.find("\0", start, end) >= 0
        or bool(_DOUBTFUL.search(text, start, end))
    )


def _after(text: str, mark: str) -> int:
    return text.find(mark) + 1 or len(text)


def _spans(text: str, offset: int) -> Iterator[tuple[int, int, bool]]:
    """Give where the sentences stand, and whether each may state something."""
    start = -1
    for match in _SENTENCE.finditer(text, offset):
        begin = match.start() if start < 0 else start
        body_end = match.start("end")
        if match["end"] == "." and _ABBREVIATED.search(text, begin, body_end):
            start = begin
            continue
        start = -1
        if not text[begin:body_end].strip():
            continue
        stated = "?" not in match["end"] and body_end - begin <= _SENTENCE_LENGTH_MAX
        yield begin, body_end, stated
    if start >= 0:
        yield start, len(text), True


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """Give the clauses of a sentence in which a statement of its own may stand, in order."""
    text, start, end = sentence.text, sentence.start, sentence.end
    lead: int | None = None  # where words begin that may date the next clause: "Last week, I moved"
    for begin, finish, joint in _pieces(text, start, end):
        if joint == "shared":
            yield _trimmed(text, begin, finish, shared=True)
            continue
        openers = (_OPENERS if begin == start else _JOINED_OPENERS).match(text, begin, finish)
        opened = openers.end() if openers else begin
        if _SUBORDINATE.match(text, opened, finish):
            return  # what follows holds only then
        elided = begin == start and bool(_ELIDED.match(text, opened, finish))
        begun = opened if lead is None or joint != "comma" else lead
        yield _trimmed(text, begun, finish, elided=elided)
        leads = not (
            _HAS_SUBJECT.search(text, opened, finish) or _VOCATIVE.fullmatch(text, opened, finish)
        )
        lead = opened if leads and lead is None and opened < finish else None


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    begin, joint = start, ""
    for match in _BREAK.finditer(text, start, end):
        if match.start() > begin:
            yield begin, match.start(), joint
        begin, joint = match.end(), match.lastgroup or ""
    if end > begin:
        yield begin, end, joint


def _trimmed(
    text: str, start: int, end: int, *, shared: bool = False, elided: bool = False
) -> Clause:
    said = text[start:end]
    start += len(said) - len(said.lstrip(" ,"))
    said = said.strip(" ,")
    return Clause(said, start, start + len(said), shared, elided)
