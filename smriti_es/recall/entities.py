"""The entity channel: who or what a question names, and what is said of them.

A name leads to the facts in which it occurs, under any of its aliases, to the turns that those
facts rest on, and to turns that use another name of the same entity. A second hop goes on from
whoever else these facts name. Only facts and turns that the read may see lead anywhere: a name that
occurs in nothing else leads nowhere.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from sqlalchemy import Connection, Select, Table, bindparam, select

from smriti_es.events.database import in_parts
from smriti_es.events.key_form import key_form
from smriti_es.projections.entities import Names
from smriti_es.projections.lexical.analysis import STOP_WORDS, query_terms
from smriti_es.projections.lexical.scripts import UNSPACED
from smriti_es.projections.lineage import parents_of_any
from smriti_es.recall.channels import Linked, Mask, Postings, Scores
from smriti_es.recall.visible import Positions, VisibleTurns

# What a row is worth that lies one step further away.
_STEP: Final = 0.5
_NAME_WORDS_MAX: Final = 4
_RUN_LENGTH_MAX: Final = 8
# So many names of a question are looked up, and so many facts of the first hop are followed.
_KEYS_MAX: Final = 400
_FOLLOWED_MAX: Final = 50
# An entity in more facts than that leads everywhere, and so nowhere.
_HUB: Final = 50
# From so many facts on, that one names somebody says less than which of them it is.
_MUCH: Final = 10
_RUN: Final = re.compile(f"[{UNSPACED}]+")
_EDGES: Final = re.compile(r"^\W+|(?:['’]s)?\W*$")  # noqa: RUF001  as people write it


@dataclass(frozen=True, slots=True)
class EntityLinks:
    """What leads from names to rows, in one snapshot.

    Attributes:
        connection: The snapshot.
        log: The log's number.
        entity: The table of names in facts.
        lineage: Generation of the lineage projection that serves.
        names: Who is who.
        turns: What may be seen.
    """

    connection: Connection
    log: int
    entity: Table
    lineage: int
    names: Names
    turns: VisibleTurns

    def scores(self, question: str, postings: Postings, hops: int) -> Linked | None:
        """Tell how closely each row bears on those whom a question names.

        Args:
            question: Its text.
            postings: Where a term occurs.
            hops: 1 or 2.

        Returns:
            None if it names nobody who leads anywhere.
        """
        said = set(question_names(question))
        named = sorted({self.names.root(key) for key in said})
        asked = self._facts_of(named)
        if not asked and not self._with_other_names(named):
            return None
        named_there = np.zeros(len(self.turns))
        if asked:
            _add_shares(named_there, asked.values())
            self._follow(named_there, named_there > 0.0, 1.0)
            if hops > 1:
                self._go_on(named_there, asked)
        renamed = self._otherwise_named(question, named, said, postings)
        if not (named_there.any() or renamed.any()):
            return None
        return Linked(named_there, renamed)

    def _facts_of(
        self, roots: Collection[str], without: Collection[str] = ()
    ) -> dict[str, Positions]:
        """Give the places of the visible facts in which entities occur, by any of their names.

        Args:
            roots: The entities.
            without: Names that do not count.
        """
        root_of = {
            key: root for root in roots for key in self.names.all_of(root) if key not in without
        }
        found: dict[str, list[int]] = {}
        statement = _facts_naming(self.entity)
        for part in in_parts(list(root_of)):
            for row in self.connection.execute(statement, {"in_log": self.log, "keys": part}):
                found.setdefault(root_of[row.entity], []).append(row.position)
        places = {root: self._places(positions) for root, positions in sorted(found.items())}
        return {root: each for root, each in places.items() if len(each)}

    def _places(self, positions: Sequence[int]) -> Positions:
        if len(self.turns) == 0:
            return np.zeros(0, np.int64)
        places, seen = self.turns.places(np.array(positions, np.int64))
        return np.unique(places[seen])

    def _follow(self, scores: Scores, facts: Any, worth: float) -> None:
        """Let the turns that facts rest on take part in what these are worth."""
        places = np.flatnonzero(facts & self.turns.is_fact)
        order = np.lexsort((-places, -scores[places]))[: 4 * _FOLLOWED_MAX]
        chosen = self.turns.positions[places[order]].tolist()
        parents = parents_of_any(self.connection, self.log, self.lineage, chosen)
        for fact, turn in parents:
            (at,), (seen,) = self.turns.places(np.array([turn]))
            if seen and not self.turns.is_fact[at]:
                own = scores[self.turns.places(np.array([fact]))[0][0]]
                scores[at] = max(scores[at], worth * _STEP * own)

    def _go_on(self, scores: Scores, asked: dict[str, Positions]) -> None:
        """Go on from whoever else is named in the facts that were found first."""
        places = np.unique(np.concatenate(list(asked.values())))
        order = np.lexsort((-places, -scores[places]))[:_FOLLOWED_MAX]
        statement = _names_in(self.entity)
        values = {"in_log": self.log, "positions": self.turns.positions[places[order]].tolist()}
        roots = {self.names.root(row.entity) for row in self.connection.execute(statement, values)}
        further = self._facts_of(sorted(roots - asked.keys())[:_KEYS_MAX])
        reached = np.zeros(len(scores), np.bool_)
        for found in further.values():
            if len(found) <= _HUB:
                reached[found] = True
        reached &= scores == 0.0
        scores[reached] = _STEP
        self._follow(scores, reached, 1.0)

    def _with_other_names(self, roots: Sequence[str]) -> list[str]:
        return [root for root in roots if len(self.names.all_of(root)) > 1]

    def _otherwise_named(
        self, question: str, named: Sequence[str], said: Collection[str], postings: Postings
    ) -> Mask:
        """Tell which rows call somebody by another name than the question does."""
        found = np.zeros(len(self.turns), np.bool_)
        renamed = self._with_other_names(named)
        if not renamed:
            return found
        for places in self._facts_of(renamed, without=said).values():
            found[places] = True
        terms_said = set(query_terms(question))
        for root in renamed:
            for name in self.names.all_of(root):
                terms = query_terms(name)
                if terms and not terms_said.issuperset(terms):
                    found[_having_all(terms, postings)] = True
        return found


def question_names(question: str) -> list[str]:
    """List what may be names in a question, in key form: its words, and runs of up to four.

    Of text that is written without spaces, its parts of up to eight characters.
    """
    words = [_EDGES.sub("", word) for word in _RUN.sub(" ", question).split()]
    keys: dict[str, None] = {}
    for start in range(len(words)):
        for count in range(1, _NAME_WORDS_MAX + 1):
            name = " ".join(words[start : start + count])
            key = key_form(name)
            if start + count <= len(words) and key and key not in STOP_WORDS:
                keys.setdefault(key)
    for run in _RUN.findall(question):
        for start in range(len(run)):
            for end in range(start + 2, min(len(run), start + _RUN_LENGTH_MAX) + 1):
                keys.setdefault(key_form(run[start:end]))
    return list(keys)[:_KEYS_MAX]


def names_among(
    connection: Connection, log: int, entity: Table, positions: Sequence[int]
) -> list[str]:
    """List the names in facts, in key form, sorted."""
    found: set[str] = set()
    for part in in_parts(positions):
        values = {"in_log": log, "positions": part}
        found.update(row.entity for row in connection.execute(_names_in(entity), values))
    return sorted(found)


def _add_shares(scores: Scores, found: Iterable[Positions]) -> None:
    """Give each fact the share of those asked about that it names; of whom much is said, less."""
    groups = list(found)
    for places in groups:
        scores[places] += min(1.0, _MUCH / len(places)) / len(groups)


def _having_all(terms: Sequence[str], postings: Callable[[str], Any]) -> Positions:
    places: Positions = postings(terms[0])[0]
    for term in terms[1:]:
        places = np.intersect1d(places, postings(term)[0])
    return places


@cache
def _facts_naming(entity: Table) -> Select[Any]:
    c = entity.c
    among = c.entity.in_(bindparam("keys", expanding=True))
    return select(c.entity, c.position).where(c.log == bindparam("in_log"), among)


@cache
def _names_in(entity: Table) -> Select[Any]:
    c = entity.c
    among = c.position.in_(bindparam("positions", expanding=True))
    return select(c.entity).where(c.log == bindparam("in_log"), among).distinct()
