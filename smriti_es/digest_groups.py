"""Which facts belong together: all that is said of an entity, or one thing that is said often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

from sqlalchemy import Select, and_, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.beliefs import BeliefReader, Fact
from smriti_es.captured import ORIGINS
from smriti_es.events.catalogue.facts import DIGEST
from smriti_es.events.key_form import key_form
from smriti_es.predicates import DIGEST_PREFIX
from smriti_es.projections.entities import Names
from smriti_es.projections.facts import ADMITTED
from smriti_es.projections.speakers import GENERIC_NAMES
from smriti_es.staleness import ENTITY_DIGEST, inputs_mark

Granularity = Literal["entity", "predicate"]


@dataclass(frozen=True, slots=True, order=True)
class GroupKey:
    """What a digest is of.

    Attributes:
        space: The space of the facts.
        subject: The name that stands for the entity, in key form.
        predicate: The digest's predicate: `digest:entity`, or `digest:` and that of the facts.
        scope: In key form.
    """

    space: str
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

    @classmethod
    def of(cls, key: GroupKey, facts: Sequence[Fact], names: Names) -> Self:
        """Put a group together from its facts, in any order."""
        ordered = tuple(sorted(facts, key=lambda fact: (fact.valid_from, fact.position)))
        return cls(key, _name(key.subject, ordered, names), ordered)

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


def groups_of_size(
    reader: BeliefReader,
    space: str,
    names: Names,
    granularity: Sequence[Granularity],
    at_least: int,
) -> list[GroupKey]:
    """List the groups that may have so many facts, by key; each scope is a group by itself.

    An entity is whoever is named in a fact, or is its subject under a name of its own: what is said
    of `user` is the whole memory and no group. Which facts are fit to be summed up is not asked
    here, so a group may turn out to have fewer.

    Args:
        reader: Reads as of now.
        space: The space of the facts.
        names: Who is who.
        granularity: Which kinds of groups.
        at_least: How many facts.

    Cost: The database counts; of small groups nothing is kept, however many there are.
    """
    found: set[GroupKey] = set()
    # What is said of an entity under several names has to be added up.
    shared: Counter[GroupKey] = Counter()
    for key, count in _counted(reader, space, names, granularity):
        if len(names.all_of(key.subject)) > 1:
            shared[key] += count
        elif count >= at_least:
            found.add(key)
    return sorted(found | {key for key, count in shared.items() if count >= at_least})


def _counted(
    reader: BeliefReader, space: str, names: Names, granularity: Sequence[Granularity]
) -> Iterator[tuple[GroupKey, int]]:
    for kind in granularity:
        counting = _by_entity if kind == "entity" else _by_predicate
        for row in reader.connection.execute(counting(reader, space)):
            root = names.root(row.name)
            yield GroupKey(space, root, DIGEST_PREFIX + row.predicate, row.scope), row.number


def _by_entity(reader: BeliefReader, space: str) -> Select[Any]:
    fact, entity = reader.tables.facts.fact.c, reader.tables.facts.entity.c
    of_fact = and_(fact.log == entity.log, fact.position == entity.position)
    return (
        select(
            entity.entity.label("name"),
            literal(ENTITY_DIGEST.removeprefix(DIGEST_PREFIX)).label("predicate"),
            fact.scope,
            func.count().label("number"),
        )
        .join_from(reader.tables.facts.entity, reader.tables.facts.fact, of_fact)
        .where(entity.entity.not_in(GENERIC_NAMES), *_summed_up(reader, space))
        .group_by(entity.entity, fact.scope)
    )


def _by_predicate(reader: BeliefReader, space: str) -> Select[Any]:
    fact = reader.tables.facts.fact.c
    # A predicate called "entity" would take the name of another kind of digest.
    taken = ENTITY_DIGEST.removeprefix(DIGEST_PREFIX)
    return (
        select(fact.subject.label("name"), fact.predicate, fact.scope, func.count().label("number"))
        .where(fact.predicate != taken, *_summed_up(reader, space))
        .group_by(fact.subject, fact.predicate, fact.scope)
    )


def _summed_up(reader: BeliefReader, space: str) -> list[ColumnElement[bool]]:
    """Write that a fact holds now and is no digest."""
    fact = reader.tables.facts.fact.c
    return [
        fact.log == reader.log,
        fact.space == space,
        fact.kind != DIGEST,
        fact.state == ADMITTED,
        fact.folded_into.is_(None),
        fact.valid_from <= reader.valid_at,
        or_(fact.valid_to.is_(None), fact.valid_to > reader.valid_at),
    ]


def _name(root: str, facts: Sequence[Fact], names: Names) -> str:
    """Spell an entity's name as somebody did; best the one that stands for all of its names."""
    said = [each for fact in facts for each in (fact.subject, *fact.entities)]
    spelled = [each for each in said if names.root(key_form(each)) == root]
    return next((each for each in spelled if key_form(each) == root), spelled[0])
