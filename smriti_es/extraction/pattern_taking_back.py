"""Tells what is taken back in the same breath: "I live in Oslo. Just kidding!"."""

import re
from collections.abc import Iterable

from smriti_es.extraction.pattern_words import words

# One of them is in all that takes something back; most turns hold none.
_CALLS = words(
    """kidding joking teasing jesting messing pulling jk j joke jokes lie lies lied lying fib prank
    true untrue false wrong nonsense bullshit rubbish made psych gotcha fools scratch strike forget
    mind take not nope"""
)
_LEAD = (
    r"\W*(?!no\W+(?:kidding|joking|joke|lie)\b)"
    r"(?:(?:ha(?:ha)*|hehe|lol|oh|no|nah|nope|well|ok|okay|but|and|wait|sorry|actually|of course"
    r"|obviously|honestly)\b\W*)*"
)
_ONLY = r"(?:(?:just|only|all|also|actually|of course|obviously|totally|completely)\s+)*"
_I_AM = r"(?:(?:i|we)(?:'m|\s+am|\s+was|'re|\s+are|\s+were)\s+|im\s+)?"
_THAT_IS = r"(?:(?:that|this|it)(?:'s|\s+is|\s+was)|all)\s+"
_THAT_IS_NOT = r"(?:that|this|it)(?:\s+is\s+not|\s+was\s+not|'s\s+not|\s+isn't|\s+wasn't)\s+"
_IN_JEST = (
    r"(?:kidding|joking|jesting|teasing(?:\s+you)?|messing\s+(?:around|with\s+you)"
    r"|pulling\s+your\s+leg)(?:\s+(?:around|of\s+course|obviously|haha|lol))?"
)
_A_LIE = r"(?:an?\s+(?:\w+\s+)?(?:lie|joke|fib|prank)|lies|untrue|false|nonsense|bullshit|rubbish)"
_END = r"(?=\W*$|\s*[,;:()\u2014-])"
# Who jests or lied may mean all that was said so far.
_ALL = re.compile(
    rf"{_LEAD}(?:{_I_AM}{_ONLY}{_IN_JEST}|j/?k|{_THAT_IS}{_ONLY}(?:{_A_LIE}|made\s+up)"
    rf"|{_THAT_IS_NOT}{_ONLY}true|(?:i\s+)?{_ONLY}(?:lied|made\s+(?:that|it|this|all\s+that)\s+up)"
    rf"|i(?:'m|\s+am|\s+was)\s+{_ONLY}lying|psych|gotcha|april\s+fools?(?:'s?)?(?:\s+day)?"
    rf"|i\s+take\s+(?:that|it|this|all\s+that)\s+back|none\s+of\s+(?:that|this|it)\s+is\s+true)"
    rf"{_END}",
    re.IGNORECASE,
)
# The same words may answer a question of one's own, so these mean the sentence right before.
_THE_LAST = re.compile(
    rf"{_LEAD}(?:not(?:\s+really|\s+at\s+all|\s+true)?|{_THAT_IS}{_ONLY}wrong"
    rf"|(?:scratch|strike|forget)\s+(?:that|it|this)|never\s?mind(?:\s+(?:that|it))?){_END}",
    re.IGNORECASE,
)


def may_take_back(said: frozenset[str]) -> bool:
    """Tell from the words of a turn, in lower case, whether it may take something back."""
    return not _CALLS.isdisjoint(said) or "nevermind" in said


def taken_back(said: Iterable[str]) -> frozenset[int]:
    """Tell which sentences of a turn are taken back by a later one.

    Args:
        said: The sentences, questions among them, in order.

    Returns:
        The places of those that are not meant.
    """
    gone: set[int] = set()
    for place, sentence in enumerate(said):
        if _ALL.match(sentence):
            gone.update(range(place))
        elif _THE_LAST.match(sentence):
            gone.update(range(max(0, place - 1), place))
    return frozenset(gone)
