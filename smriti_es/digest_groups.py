"""Which facts belong together: all that is said of an entity, or one thing that is said often."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from smriti_es.beliefs import Fact
from smriti_es.captured import ORIGINS
from smriti_es.events.key_form import key_form
from smriti_es.predicates import DIGEST_PREFIX, predicate_form
from smriti_es.projections.entities import Names
from smriti_es.projections.speakers import GENERIC_NAMES
from smriti_es.staleness import ENTITY_DIGEST, inputs_mark

Granularity = Literal["entity", "predicate"]


@dataclass(frozen=True, slots=True, order=True)
class GroupKey:
    """What a digest is of.

    Attributes:
        subject: The name that stands for the entity, in key form.
        predicate: The digest's predicate: `digest:entity`, or `digest:` and that of the facts.
        scope: In key form.
    """

    subject: str
    predicate: str
    scope: str

    @property
    def granularity(self) -> Granularity:
        """Which kind of group it is."""
        return "entity" if self.predicate == ENTITY_DIGEST else "predicate"


@dataclass(frozen=True, slots=True)
class DigestGroup:
    """Facts that one digest sums up.

    Attributes:
        key: What it is of.
        name: The entity's name, as it was said.
        facts: The facts, in the order in which they began to hold; never empty.
    """

    key: GroupKey
    name: str
    facts: tuple[Fact, ...]

    @property
    def label(self) -> str:
        """What the facts have in common, in words."""
        scope = f" ({self.facts[0].scope})" if self.facts[0].scope else ""
        if self.key.granularity == "entity":
            return self.name + scope
        said = self.key.predicate.removeprefix(DIGEST_PREFIX).replace("_", " ")
        return f"{self.name}: {said}{scope}"

    @property
    def mark(self) -> str:
        """Name of exactly these facts, as they stand."""
        return inputs_mark(self.facts)

    @property
    def origin(self) -> str:
        """The lowest origin of the facts."""
        rank: dict[str, int] = {origin: number for number, origin in enumerate(ORIGINS)}
        return max((fact.origin for fact in self.facts), key=lambda origin: rank[origin])


def digest_groups(
    facts: Iterable[Fact], names: Names, granularity: Sequence[Granularity]
) -> dict[GroupKey, DigestGroup]:
    """Group facts by entity and by what is said of a subject, each scope by itself.

    An entity is whoever is named in a fact, or is its subject under a name of its own: what is said
    of `user` is the whole memory and no group.

    Args:
        facts: Facts that hold, none of them a digest.
        names: Who is who.
        granularity: Which kinds of groups.
    """
    members: dict[GroupKey, list[Fact]] = {}
    for fact in facts:
        for key in _keys(fact, names, granularity):
            members.setdefault(key, []).append(fact)
    groups = {}
    for key in sorted(members):
        ordered = tuple(sorted(members[key], key=lambda fact: (fact.valid_from, fact.position)))
        groups[key] = DigestGroup(key, _name(key.subject, ordered, names), ordered)
    return groups


def _keys(fact: Fact, names: Names, granularity: Sequence[Granularity]) -> set[GroupKey]:
    scope = key_form(fact.scope)
    subject = names.root(key_form(fact.subject))
    keys = set()
    if "entity" in granularity:
        keys = {
            GroupKey(names.root(name), ENTITY_DIGEST, scope)
            for each in (fact.subject, *fact.entities)
            if (name := key_form(each)) and name not in GENERIC_NAMES
        }
    predicate = DIGEST_PREFIX + predicate_form(fact.predicate)
    # A predicate called "entity" would take the name of another kind of digest.
    if "predicate" in granularity and predicate != ENTITY_DIGEST:
        keys.add(GroupKey(subject, predicate, scope))
    return keys


def _name(root: str, facts: Sequence[Fact], names: Names) -> str:
    """Spell an entity's name as somebody did; best the one that stands for all of its names."""
    said = [each for fact in facts for each in (fact.subject, *fact.entities)]
    spelled = [each for each in said if names.root(key_form(each)) == root]
    return next((each for each in spelled if key_form(each) == root), spelled[0])
