"""What is named by its position lies in a space that is read, or is not there at all.

A position says nothing of spaces, so that whoever may write to one could otherwise end, approve or
erase what lies in another.
"""

from collections.abc import Sequence

from sqlalchemy import select

from smriti_es.events.errors import NotFound
from smriti_es.opened import Opened
from smriti_es.projections.facts import fact_tables
from smriti_es.projections.turns import turn_tables


def assert_within_spaces(opened: Opened, positions: Sequence[int | str]) -> None:
    """Refuse positions of turns, sessions, facts and ends in spaces that are not read.

    What stands at none of them, or is something else, is for the verb to tell.

    Raises:
        NotFound: One of them lies elsewhere; nothing is told of it.
    """
    with opened.database.read() as connection:
        serving = opened.projector.serving(connection)
        turns = turn_tables(opened.projector.readable(serving, "turns").number)
        facts = fact_tables(opened.projector.readable(serving, "facts").number)
        session, turn, log = turns.session.c, turns.turn.c, opened.log.log
        elsewhere = select(session.position).where(
            session.log == log, session.space.not_in(opened.spaces)
        )
        looked_for = [elsewhere.where(session.position.in_(positions))]
        looked_for.append(
            select(turn.position).where(
                turn.log == log, turn.position.in_(positions), turn.session.in_(elsewhere)
            )
        )
        for table in (facts.fact, facts.end):
            c = table.c
            looked_for.append(
                select(c.position).where(
                    c.log == log, c.position.in_(positions), c.space.not_in(opened.spaces)
                )
            )
        for statement in looked_for:
            found = connection.execute(statement.limit(1)).scalar()
            if found is not None:
                raise NotFound(
                    f"there is nothing at position {found} in the spaces that are read",
                    hint="Name its space in `spaces` when you open the memory.",
                )
