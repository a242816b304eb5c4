"""Reads what somebody likes, or plans to do: things and doings that have no fixed shape."""

import re

from smriti_es.extraction.pattern_values import (
    NOTHING,
    Value,
    Values,
    cut,
    listed,
    third_person,
)
from smriti_es.extraction.pattern_words import PASTIMES
from smriti_es.recall.calendar_words import NUMBER

_WORDS_MAX = 5
# A word that makes a sentence of what should be a thing.
_VERBAL = re.compile(
    r"\b(?:is|are|was|were|am|be|will|would|can|could|do|does|did|has|had|have|if|when|whenever"
    r"|unless|until|while|after|before|than|over|versus|vs|not|no|how|what|where|why|who|whose"
    r"|which)\b"
)
# Words that point at something said before, or at somebody: the thing cannot stand by itself.
_POINTING = re.compile(
    r"\b(?:it|its|itself|this|that|these|those|you|your|yours|he|him|his|she|her|hers|they|them"
    r"|their|me|my|mine|myself|us|our|ourselves|yourself|we|I|here|there|one|ones|things?|stuff"
    r"|everything|anything|something|nothing|someone|everyone|lots?|bits?|kinds?|sorts?|parts?|ideas?|ways?|looks?|sounds?|more"
    r"|less|better|best|most|much|many|too|enough|both|all|each|every|some|any|another|other|others"
    r"|same|such|so|being|seeing|hearing|having|knowing|getting|doing|trying|feeling|thinking"
    r"|either|neither|whatever|none|few|talking|hanging|meeting|catching|together|again|up|out|off"
    r"|back|photos?|pics?|pictures?|vibes?|spirit|attitude|energy|lately|today|chatting)\b"
    r"|'s\b|[^\w\s'&+#./-]",
)
_UNIVERSAL = re.compile(
    r"the (?:beach|sea|seaside|ocean|mountains|outdoors|rain|snow|cold|heat|countryside|theatre"
    r"|theater|cinema|opera|woods|forest|desert|city|gym|night|summer|winter|sun|water)"
)
_CLOSING = re.compile(r"(?:[\w' -]+ )?(?:and|or) [\w' -]+")
_JOINS = re.compile(r"\b(?:and|or)\b")
_THOUGHT = (
    r"(?:it|they|that|this|these|he|she|we|you|there|here|i|my|so|but|because|'cause|as|especially"
    r"|particularly|even|which|too|though|no|yes|lol|haha|man|mate|dude|for|with|since|thanks|right"
    r"|don|what|how|just|not|let)\b"
)
_ASIDE = re.compile(rf",\s*(?i:and\s+)?(?i:{_THOUGHT})")
_NEW_THOUGHT = re.compile(rf"$|[\s;:-]|,\s*(?:(?i:and\s+)?(?i:{_THOUGHT})|[A-Z])")
_WHOLE = re.compile(r"(?:s|ing)$")
_EXAMPLE = re.compile(r"\b(?:like|such as)\b")
_RELATED = re.compile(r"\b(?:about|of|with|in|for|from|on|at|to|by)\b")
_UNFINISHED = frozenset(
    (
        *("spending time", "going", "making", "taking", "getting", "spending", "watching", "using"),
        *("finding", "creating", "helping", "giving", "bringing", "putting", "working"),
    )
)
_DEGREE = re.compile(
    r"\s+(?:so much|very much|a lot|a great deal|the most|most of all|more than anything|too|dearly"
    r"|to death|to bits|to pieces|with a passion|best|all the time|a ton|in general"
    r"|(?:(?:once|yet) )?again)$"
)
_COMPANY = re.compile(
    r"\s+(?:with (?:my|our|the|some|a few)\b|on (?:weekends|the weekend)|every\b).*$"
)
_TO_DO = re.compile(r"\bto (?!the\b|a\b|work\b|school\b|music\b|church\b|concerts?\b|[A-Z])")


def likings(text: str) -> Values:
    """Read what somebody likes or dislikes in general: one thing, or a list of things."""
    text = _COMPANY.sub("", _DEGREE.sub("", _cut_things(text)))
    if _VERBAL.search(text) or _TO_DO.search(text) or _EXAMPLE.search(text):
        return NOTHING
    return tuple(Value(item) for item in _things(listed(text)))


def _cut_things(text: str) -> str:
    """Cut like `cut`, but keep the commas of a list; "" where a comma may stand for an "and"."""
    if _is_list(text):
        return text
    short = cut(text)
    return short if _NEW_THOUGHT.match(text[len(short) :]) else ""


def _is_list(text: str) -> bool:
    """Tell "tea, coffee and jazz" from what takes up a thought after a comma."""
    *before, last = text.split(", ")
    if not before or not _CLOSING.fullmatch(last) or _ASIDE.search(text):
        return False
    return len(_JOINS.findall(text)) == 1 and all(before)


def _things(items: list[str]) -> list[str]:
    """Take the leading items that stand by themselves.

    In "books about cats and dogs" the dogs may belong to the books, in "electronic and rock music"
    the first is no thing without the second.
    """
    if len(items) == 2 and " " not in items[0] and " " in items[1] and not _WHOLE.search(items[0]):
        both = all(map(_thing, items)) and not _MAY_SAY_MORE.match(items[1])
        return [" and ".join(items)] if both else []
    taken: list[str] = []
    for item in items:
        if not _thing(item) or (taken and _may_belong(taken[-1], item)):
            break
        taken.append(item)
    return taken


# "... and recommends tea": a verb, as like as not.
_MAY_SAY_MORE = re.compile(r"(?:\w+ed|\w*[^\Wsu]s) ")


def _may_belong(first: str, second: str) -> bool:
    if _MAY_SAY_MORE.match(second):
        return True
    if first[0].isupper() and " " in first and " " not in second:
        return True  # "Spanish culture and music"
    doing = first.split()[0].endswith("ing")
    does = second.split()[0].endswith("ing")
    if doing:
        return " " in first and not does
    # "Art, finding a passion for it"
    return bool(_RELATED.search(first)) or (does and " " in second)


_NEVER_FIRST = frozenset(
    ("the", "a", "an", "to", "for", "at", "in", "on", "of", "with", "about", "from", "by", "and")
)


def _thing(text: str) -> str:
    words = text.split()
    if not 1 <= len(words) <= _WORDS_MAX or _POINTING.search(text) or text in _UNFINISHED:
        return ""
    if words[-1] == "new" or words[0] in _NEVER_FIRST or re.fullmatch(NUMBER, words[0].lower()):
        return text if _UNIVERSAL.fullmatch(text) else ""
    return text


def pastimes(text: str) -> Values:
    """Read what somebody likes to do: "cook Italian food" becomes "cooking Italian food"."""
    text = _COMPANY.sub("", _DEGREE.sub("", cut(text)))
    found: list[Value] = []
    for item in listed(text):
        verb, _, rest = item.partition(" ")
        if verb not in PASTIMES or (rest and (_POINTING.search(rest) or len(rest.split()) > 3)):
            return NOTHING
        doing = f"{gerund(verb)} {rest}".strip()
        if _VERBAL.search(rest) or _TO_DO.search(rest):
            return NOTHING
        found.append(Value(doing))
    return tuple(found)


def gerund(verb: str) -> str:
    """Give the -ing form of a regular verb: cook, dance, swim."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    doubles = re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]", verb) or verb == "travel"
    return f"{verb}{verb[-1] if doubles and not verb.endswith('vel') else ''}ing"


_PLAN_WORDS = range(2, 10)
_NO_PLAN = re.compile(
    r"\b(?:it|this|that|these|those|you|your|him|them|her|she|he|us|we|our|there|here|I|me|be"
    r"|something|stuff|things?|so|if|what|how)\b"
)


def activity(text: str) -> Values:
    """Read what somebody plans: a short phrase that stands by itself, in the third person."""
    phrase = third_person(re.sub(r" (?:myself|ourselves|next|soon)$", "", cut(text)))
    stands_alone = len(phrase.split()) in _PLAN_WORDS and not _NO_PLAN.search(phrase)
    return (Value(phrase),) if stands_alone else NOTHING
