"""What a read may see: one policy, turned into predicates of the query itself, for every read.

Nothing is filtered after ranking: a filtered answer is never short while matching turns exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Any, Final, TypedDict, get_args

from sqlalchemy import BigInteger, Connection, and_, literal, select
from sqlalchemy.sql.elements import ColumnElement

from smriti_es.beliefs import FactFilter
from smriti_es.captured import ORIGINS, Role, TimeGiven
from smriti_es.checked_values import Place, checked_names
from smriti_es.events.errors import InvalidInput, NotFound
from smriti_es.events.instants import parse_instant
from smriti_es.filter_predicates import metadata_predicate, tag_conditions
from smriti_es.filters import Filter, parse_filter
from smriti_es.projections.trust import TrustTables, not_withheld
from smriti_es.projections.turns import TurnTables

ROLES: Final[tuple[str, ...]] = get_args(Role)
# What a model may be shown unless the caller widens it (design: trust, "Where a read may look").
SHOWN_ORIGINS: Final = ("owner", "agent", "tool")


class Filters(TypedDict, total=False):
    """What the caller of a read may narrow it to; everything given must hold.

    Attributes:
        spaces: Names of spaces; default: those the engine was opened to read.
        sessions: Names of sessions.
        roles: user, assistant, system, tool.
        origins: owner, agent, tool, untrusted.
        kinds: The caller's kinds.
        tags: The turn has all of these tags.
        tags_any: The turn has at least one of these tags.
        where: A filter on metadata (see `filters`).
        since: Said at or after this time.
        until: Said before this time; a date alone counts to its end.
        scopes: The scopes one is in: facts of these, and unscoped ones, are seen.
    """

    spaces: Sequence[str]
    sessions: Sequence[str]
    roles: Sequence[str]
    origins: Sequence[str]
    kinds: Sequence[str]
    tags: Sequence[str]
    tags_any: Sequence[str]
    where: Mapping[str, object]
    since: TimeGiven
    until: TimeGiven
    scopes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReadTables:
    """The tables that a policy is written on.

    Attributes:
        turns: Turns and sessions.
        trust: What is withheld.
    """

    turns: TurnTables
    trust: TrustTables


@dataclass(frozen=True, slots=True)
class ReadPolicy:
    """What one read may see, checked; hashable, so that what it sees can be kept.

    Attributes:
        spaces: Spaces, by name; never empty.
        sessions: Sessions by name, or None for all.
        roles: Roles, or None for all.
        origins: Origins, or None for all.
        kinds: Kinds, or None for all.
        tags: Tags that must all be there.
        tags_any: Tags of which one must be there; empty for none.
        condition: The filter on metadata, or None.
        since: Earliest `said_at`, microseconds, or None.
        until: `said_at` must lie before, microseconds, or None.
        scopes: Scopes of facts that are seen beside unscoped ones.
    """

    spaces: tuple[str, ...]
    sessions: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    origins: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    condition: Filter | None = None
    since: int | None = None
    until: int | None = None
    scopes: tuple[str, ...] = ()


def read_policy(
    filters: Filters,
    *,
    spaces: Sequence[str],
    origins: Sequence[str] | None = None,
    zone: tzinfo = UTC,
) -> ReadPolicy:
    """Check a caller's filters.

    Args:
        filters: As given.
        spaces: The spaces that the engine was opened to read; a caller may narrow, never widen.
        origins: The origins shown when the caller names none; None: all.
        zone: Where times without an offset were meant.

    Raises:
        InvalidInput: A filter cannot be understood; it is never left out.
        NotFound: A space that the engine was not opened to read.
    """
    unknown = sorted(set(filters) - set(Filters.__annotations__))
    if unknown:
        known = ", ".join(sorted(Filters.__annotations__))
        raise InvalidInput(f"no such filter: {', '.join(unknown)}", hint=f"There are: {known}.")
    named = _names(filters, "spaces")
    for space in named or ():
        if space not in spaces:
            raise NotFound(
                f"space {space!r} is not one that this engine was opened to read",
                hint="Name it in `spaces` when you open the memory.",
            )
    return ReadPolicy(
        spaces=tuple(sorted(spaces)) if named is None else named,
        sessions=_names(filters, "sessions"),
        roles=_names(filters, "roles", ROLES),
        origins=_names(filters, "origins", ORIGINS)
        or (None if origins is None else tuple(origins)),
        kinds=_names(filters, "kinds"),
        tags=_names(filters, "tags") or (),
        tags_any=_names(filters, "tags_any") or (),
        condition=parse_filter(filters.get("where")),
        since=_since(filters, zone),
        until=_until(filters, zone),
        scopes=_names(filters, "scopes") or (),
    )


def fact_filter(policy: ReadPolicy) -> FactFilter | None:
    """Say which facts a policy lets a read see beside turns; None: none at all.

    A filter on what only turns have (session, role, kind, time) means turns.
    Digests are no answers of their own: they come with the facts that they sum up.
    """
    of_turns = (policy.sessions, policy.roles, policy.kinds, policy.since, policy.until)
    if any(each is not None for each in of_turns):
        return None
    return FactFilter(
        policy.spaces,
        scopes=policy.scopes,
        origins=policy.origins,
        digests=False,
        tags=policy.tags,
        tags_any=policy.tags_any,
        condition=policy.condition,
    )


def turn_predicate(
    policy: ReadPolicy, tables: ReadTables, log: int, known: int | None = None
) -> ColumnElement[bool]:
    """Write the policy as a condition on `turn` rows; nothing that is withheld meets it.

    Args:
        policy: What may be seen.
        tables: Tables of the generations that serve.
        log: The log's number.
        known: The knowledge time as of which is read; None: now.
    """
    turn, session = tables.turns.turn.c, tables.turns.session.c
    may_see = select(session.position).where(
        session.log == log, *session_conditions(policy, tables, known)
    )
    conditions: list[ColumnElement[bool]] = [
        turn.log == log,
        turn.session.in_(may_see),
        not_withheld(tables.trust, turn.log, turn.position, _time(known)),
    ]
    for column, values in (
        (turn.role, policy.roles),
        (turn.origin, policy.origins),
        (turn.kind, policy.kinds),
    ):
        if values is not None:
            conditions.append(column.in_(values))
    if policy.since is not None:
        conditions.append(turn.said_at >= policy.since)
    if policy.until is not None:
        conditions.append(turn.said_at < policy.until)
    labels = tables.turns
    conditions += tag_conditions(labels.tag, log, turn.position, policy.tags, policy.tags_any)
    if policy.condition is not None:
        conditions.append(
            metadata_predicate(policy.condition, labels.attribute, log, turn.position)
        )
    return and_(*conditions)


def session_conditions(
    policy: ReadPolicy, tables: ReadTables, known: int | None = None
) -> list[ColumnElement[bool]]:
    """Write the part of a policy that concerns whole sessions; see `turn_predicate`."""
    session = tables.turns.session.c
    conditions: list[ColumnElement[bool]] = [
        session.space.in_(policy.spaces),
        not_withheld(tables.trust, session.log, session.position, _time(known)),
    ]
    if policy.sessions is not None:
        conditions.append(session.name.in_(policy.sessions))
    return conditions


def _time(known: int | None) -> ColumnElement[int] | None:
    return None if known is None else literal(known, BigInteger)


def assert_sessions_exist(
    policy: ReadPolicy,
    tables: ReadTables,
    log: int,
    connection: Connection,
    *,
    until: int | None = None,
    known: int | None = None,
) -> None:
    """Refuse a filter that names a session nobody ever started.

    Raises:
        NotFound: At least one name leads nowhere.
    """
    if policy.sessions is None:
        return
    session = tables.turns.session.c
    statement = select(session.name).where(
        session.log == log, *session_conditions(policy, tables, known)
    )
    if until is not None:
        statement = statement.where(session.position <= until)
    found = set(connection.execute(statement).scalars())
    missing = sorted(set(policy.sessions) - found)
    if missing:
        raise NotFound(
            f"no session {missing[0]!r} in {', '.join(policy.spaces)}",
            hint="`smriti-es sessions` or engine.sessions() lists them.",
        )


def _names(
    filters: Filters, name: str, allowed: Sequence[str] | None = None
) -> tuple[str, ...] | None:
    given: Any = filters.get(name)
    if given is None:
        return None
    names = checked_names(given, Place(name))
    if not names:
        raise InvalidInput(f"{name} is empty, which nothing can match", hint="Leave it out.")
    wrong = sorted(set(names) - set(allowed)) if allowed is not None else []
    if wrong:
        raise InvalidInput(
            f"{name} has no {wrong[0]!r}", hint=f"There are: {', '.join(allowed or ())}."
        )
    return tuple(sorted(set(names)))


def _since(filters: Filters, zone: tzinfo) -> int | None:
    given = filters.get("since")
    return None if given is None else parse_instant(given, zone=zone).at


def _until(filters: Filters, zone: tzinfo) -> int | None:
    given = filters.get("until")
    return None if given is None else parse_instant(given, zone=zone).end(zone)
