"""Which facts lose their end to an erasure: what had replaced them goes, or what ended them.

That they ended is still known, but not when: they lapse, unless what was erased was never true.
Source: design page on trust, "Erasure", 4; decision 15.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, or_, select

from smriti_es.erasure_plan import ErasurePlan, Planner, read_events
from smriti_es.events.catalogue import FactEnded, FactProposed
from smriti_es.events.database import in_parts
from smriti_es.events.key_form import key_form
from smriti_es.projections.facts import ADMITTED, PROPOSED
from smriti_es.projections.lineage import children_of_any


def predecessors_of(planner: Planner, plan: ErasurePlan) -> list[int]:
    """Give the statements that stay and of which the end goes, with those that repeat them.

    Where another statement of the erased value stays, that one ends them from now on.
    """
    gone, erased = set(plan.content.facts), plan.content.facts
    c = planner.tracer.facts.fact.c
    followed = _among(planner, c.superseded_by, erased, c.position, c.superseded_by)
    repeated = {
        into
        for at, into in _among(planner, c.folded_into, erased, c.position, c.folded_into)
        if at not in gone
    }
    ended = {at for at, by in followed if at not in gone and by not in repeated}
    for recorded in plan.events.values():
        if isinstance(recorded.event, FactEnded):
            ended |= _ended_by(planner, plan, recorded.event) - gone
    members = _among(planner, c.folded_into, sorted(ended), c.position)
    return sorted({*ended, *(at for (at,) in members if at not in gone)})


def orphans_of(planner: Planner, plan: ErasurePlan) -> list[int]:
    """Give the proposals that wait since they would have moved a statement that goes.

    With the statement nothing opposes them; yet nobody has read them.
    """
    tracer, gone = planner.tracer, set(plan.content.facts)
    children = children_of_any(
        tracer.connection, tracer.log.log, tracer.lineage, plan.content.facts
    )
    proposed = {
        each.header.facets["fact"]
        for each in read_events(
            tracer.connection, tracer.log.log, sorted({child for _, child in children})
        ).values()
        if each.header.type == FactProposed.TYPE and each.header.facets["against"] in gone
    } - gone
    c = tracer.facts.fact.c
    rows = _among(planner, c.position, sorted(proposed), c.position, c.state)
    return sorted(at for at, state in rows if state == PROPOSED)


def _ended_by(planner: Planner, plan: ErasurePlan, end: FactEnded) -> set[int]:
    """Give the statements that end where only an erased end says so."""
    facts, value = planner.tracer.facts, key_form(end.object)
    others, fact = facts.end.c, facts.fact.c
    same = and_(
        _of_key(facts.end, planner, end),
        others.valid_to == end.valid_to,
        others.retracted_known.is_(None),
    )
    stays = _select(planner, facts.end, same, others.position)
    if any(at not in plan.events for (at,) in stays):
        return set()
    conditions = [
        _of_key(facts.fact, planner, end),
        fact.valid_to == end.valid_to,
        fact.superseded_by.is_(None),
        fact.state == ADMITTED,
        or_(fact.stated_to.is_(None), fact.stated_to != end.valid_to),
        *([fact.value == value] if value else []),
    ]
    found = _select(planner, facts.fact, and_(*conditions), fact.position)
    return {at for (at,) in found}


def _of_key(table: Table, planner: Planner, end: FactEnded) -> ColumnElement[bool]:
    """Write that a row is of the key that an end is of."""
    names, c = planner.names, table.c
    return and_(
        c.subject.in_(names.all_of(names.root(key_form(end.subject)))),
        c.space == end.space,
        c.predicate == end.predicate,
        c.scope == key_form(end.scope),
    )


def _among(planner: Planner, column: Any, values: Sequence[int], *columns: Any) -> list[Any]:
    """Read columns of the statements that have one of some values in another one."""
    table = planner.tracer.facts.fact
    found: list[Any] = []
    for part in in_parts(values):
        found += _select(planner, table, column.in_(part), *columns)
    return found


def _select(
    planner: Planner, table: Table, condition: ColumnElement[bool], *columns: Any
) -> Sequence[Any]:
    statement = select(*columns).where(table.c.log == planner.tracer.log.log, condition)
    return planner.tracer.connection.execute(statement).all()
