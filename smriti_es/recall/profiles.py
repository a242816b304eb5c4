"""Profiles of recall: which channels take part, how they weigh, how much comes back; plain data.

Every profile ranks with the same engine and packs with the same packer; it moves weights and adds
looks. None of them moves what a read may see: that is the policy's business alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Final

from smriti_es.events.errors import InvalidInput
from smriti_es.recall.diversity import Spread
from smriti_es.recall.question import Question
from smriti_es.recall.weights import RecallSettings

CHANNELS: Final = ("lexical", "semantic", "entity", "temporal")
AUTO: Final = "auto"
_K_MAX: Final = 10_000
_HOPS_MAX: Final = 2
_ROUNDS_MAX: Final = 4
_WEIGHTS: Final = frozenset(each.name for each in fields(RecallSettings))


@dataclass(frozen=True, slots=True)
class RecallProfile:
    """How one kind of question is answered.

    Attributes:
        name: Its name.
        why: What it is for.
        channels: What takes part: lexical, semantic, entity, temporal.
        k: How many hits `search` gives that is not told how many, 1 to 10,000.
        weights: Fields of `RecallSettings` -> what they are instead of the engine's own.
        history: Also facts that hold no longer; None: if the question asks for what was.
        hops: How far the entity channel goes: 1, to what is said of those whom the question names;
            2, also to what is said of those who are named there.
        rounds: How often the question is put; from the second time on with the names that the best
            hits brought up. 1 to 4.
        digests: Whether digests stand beside every answer, or beside those alone that count.
        sessions_apart: Whether each session has one hit before any has a second.
        per_moment: How many turns of one moment that say nearly the same come before everything
            else; 0: any number.
        fact_places: How many of the hits are facts where there are any, up to half of the hits.
        by_time: Whether the facts of a context stand in the order in which they began to hold.

    Raises:
        InvalidInput: Something in it cannot be.
    """

    name: str
    why: str = ""
    channels: tuple[str, ...] = CHANNELS
    k: int = 12
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    history: bool | None = None
    hops: int = 1
    rounds: int = 1
    digests: bool = False
    sessions_apart: bool = False
    per_moment: int = 0
    fact_places: int = 0
    by_time: bool = False

    def __post_init__(self) -> None:
        _within("k", self.k, _K_MAX)
        _within("hops", self.hops, _HOPS_MAX)
        _within("rounds", self.rounds, _ROUNDS_MAX)
        _within("per_moment", self.per_moment, _K_MAX, least=0)
        _within("fact_places", self.fact_places, _K_MAX, least=0)
        object.__setattr__(self, "channels", checked_channels(self.channels))
        unknown = sorted(set(self.weights) - _WEIGHTS)
        if unknown:
            raise InvalidInput(
                f"profile {self.name!r}: there is no weight {unknown[0]!r}",
                hint=f"There are: {', '.join(sorted(_WEIGHTS))}.",
                field="weights",
            )
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))

    def settings(self, own: RecallSettings) -> RecallSettings:
        """Give the weights of an engine, with those of this profile in their place."""
        given: RecallSettings = replace(own, **self.weights)  # type: ignore[arg-type]
        return given

    @property
    def spread(self) -> Spread:
        """How alike the first hits may be."""
        return Spread(
            sessions_apart=self.sessions_apart,
            per_moment=self.per_moment,
            fact_places=self.fact_places,
        )

    def uses(self, channel: str) -> bool:
        """Tell whether a channel takes part."""
        return channel in self.channels


def checked_channels(given: object) -> tuple[str, ...]:
    """Check the names of channels, and bring them into our order.

    Raises:
        InvalidInput: One of them is none, or none is named.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput(
            f"channels are of type {type(given).__name__}",
            hint=f"Give a list of {', '.join(CHANNELS)}.",
            field="channels",
        )
    for each in given:
        if each not in CHANNELS:
            raise InvalidInput(
                f"there is no channel {each!r}",
                hint=f"There are: {', '.join(CHANNELS)}.",
                field="channels",
            )
    if not given:
        raise InvalidInput(
            "channels are empty, so that nothing could be found",
            hint=f"Leave it out, or name some of {', '.join(CHANNELS)}.",
            field="channels",
        )
    return tuple(each for each in CHANNELS if each in given)


def _within(name: str, value: object, maximum: int, *, least: int = 1) -> None:
    if type(value) is not int or not least <= value <= maximum:
        raise InvalidInput(
            f"{name} is {value!r}; it must be a whole number from {least} to {maximum}",
            hint="Leave it out for the default.",
            field=name,
        )


EVIDENCE: Final = RecallProfile(
    "evidence", "The default: turns and facts ranked together, for whatever is asked."
)
_BUILT_IN: Final = (
    EVIDENCE,
    RecallProfile(
        "facts",
        "What is believed: facts before the turns that only speak of the same.",
        channels=("lexical", "semantic", "entity"),
        weights={"fact": 1.5, "entity": 0.3},
        fact_places=2,
    ),
    RecallProfile(
        "relations",
        "Who has to do with whom: two steps along the names in facts.",
        k=14,
        weights={"entity": 0.4},
        hops=2,
        rounds=2,
    ),
    RecallProfile(
        "timeline",
        "What was when: dates weigh more, and facts that hold no longer stay, by their time.",
        k=14,
        weights={"in_window": 0.4, "when": 0.2},
        history=True,
        by_time=True,
    ),
    RecallProfile(
        "deep",
        "Everything that bears on it, for what has to be counted or summed up.",
        k=40,
        weights={"depth": 400, "late_depth": 300, "entity": 0.2},
        hops=2,
        rounds=2,
        digests=True,
    ),
)
PROFILES: Final[Mapping[str, RecallProfile]] = MappingProxyType(
    {profile.name: profile for profile in _BUILT_IN}
)


def checked_profile(given: object) -> RecallProfile | None:
    """Find the profile that is meant by a name, or by itself; None: the question decides.

    Raises:
        InvalidInput: There is no such profile.
    """
    if isinstance(given, RecallProfile):
        return given
    if given == AUTO:
        return None
    found = PROFILES.get(given) if isinstance(given, str) else None
    if found is None:
        raise InvalidInput(
            f"there is no recall profile {given!r}",
            hint=f"There are: {', '.join((*PROFILES, AUTO))}.",
            field="profile",
        )
    return found


def routed(question: Question) -> RecallProfile:
    """Choose a profile from the words of a question alone.

    Whatever is chosen uses every channel, gives no fewer hits than the default, and looks no less
    deep: a wrong guess costs order, and no evidence.
    """
    if question.counts:
        return PROFILES["deep"]
    if question.asks_when or question.window is not None or question.asks_history:
        return PROFILES["timeline"]
    if question.asks_relation:
        return PROFILES["relations"]
    return EVIDENCE
