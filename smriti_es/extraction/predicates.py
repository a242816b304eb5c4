"""One name for one relation, however a model calls it.

A predicate is part of the key by which a later fact supersedes an earlier one, so that two names
for the same thing would leave both standing.
"""

import re
import unicodedata

ATTITUDE = "attitude_to:"
POSITIVE, NEGATIVE = "positive", "negative"

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD = re.compile(r"[\W_]+")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_ALIASES = {
    "employed_at": "works_at",
    "employed_by": "works_at",
    "works_for": "works_at",
    "moved_to": "lives_in",
    "relocated_to": "lives_in",
    "resides_in": "lives_in",
    "prefer": "prefers",
    "preferred": "prefers",
}
_BRITISH = {
    "color": "colour",
    "colors": "colours",
    "favorite": "favourite",
    "flavor": "flavour",
    "flavors": "flavours",
}
_ONE_AT_A_TIME = (ATTITUDE, "favourite_")
_POLARITIES = {
    **dict.fromkeys(("like", "likes", "love", "loves", "enjoy", "enjoys", "adores"), POSITIVE),
    **dict.fromkeys(("is_fond_of", "fond_of", "positive"), POSITIVE),
    **dict.fromkeys(("dislike", "dislikes", "hate", "hates", "detests", "loathes"), NEGATIVE),
    **dict.fromkeys(("does_not_like", "doesn_t_like", "cannot_stand", "negative"), NEGATIVE),
}


def snake_case(said: str) -> str:
    """Spell a predicate in snake_case: `livesIn` and `Lives in` become `lives_in`."""
    parted = _HUMP.sub("_", unicodedata.normalize("NFC", said.strip()))
    return _NO_WORD.sub("_", parted.casefold()).strip("_")


def normal_relation(predicate: str, value: str) -> tuple[str, str] | None:
    """Give a relation its usual form.

    `moved_to` and its like become `lives_in`, `favorite_color` becomes `favourite_colour`, and
    liking or disliking something becomes `attitude_to:<thing>` with the value `positive` or
    `negative`, so that a change of mind supersedes (design: decision 17).

    Args:
        predicate: As it was said, in any spelling.
        value: What it relates to.

    Returns:
        Predicate and value; None for an attitude that is neither positive nor negative.
    """
    head, colon, thing = predicate.partition(":")
    if colon and snake_case(head) == "attitude_to" and thing.strip():
        polarity = _POLARITIES.get(snake_case(value))
        return None if polarity is None else (attitude_to(thing), polarity)
    spelled = snake_case(predicate)
    if (polarity := _POLARITIES.get(spelled)) and spelled != polarity:
        return attitude_to(value), polarity
    spelled = "_".join(_BRITISH.get(word, word) for word in spelled.split("_"))
    return _ALIASES.get(spelled, spelled), value


def attitude_to(thing: str) -> str:
    """Name the predicate of an attitude: `attitude_to:hill_walking` for "the Hill  walking"."""
    words = _ARTICLE.sub("", unicodedata.normalize("NFC", thing).strip(" .,;!?\t\n"), count=1)
    return ATTITUDE + "_".join(words.casefold().split())


def says_one_value(predicate: str) -> bool:
    """Whether the name alone says that there is one value at a time: an attitude, a favourite."""
    return predicate.startswith(_ONE_AT_A_TIME)
