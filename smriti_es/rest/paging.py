"""Pages of long lists: a cursor names where the next one begins, and what the first one knew."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

from smriti_es.answer import Answer
from smriti_es.events.errors import InvalidInput


def by_position(
    listed: Callable[[int | None, int], Sequence[Any]],
    form: Callable[[Any], dict[str, Any]],
    cursor: str | None,
    limit: int,
) -> dict[str, Any]:
    """Give a page of a list that goes by the positions of its items.

    Args:
        listed: Gives what comes after a position, at most so many.
        form: Writes an item.
        cursor: Where it begins.
        limit: How many are wanted.
    """
    after = None if cursor is None else _number(_read(cursor), "after")
    found = listed(after, limit + 1)
    shown = list(found[:limit])
    more = len(found) > limit
    return {
        "items": [form(each) for each in shown],
        "next": _written({"after": shown[-1].position}) if more else None,
    } | _known(found)


def of_one_answer(
    asked: Callable[[dict[str, Any]], Answer[Any]],
    form: Callable[[Any], dict[str, Any]],
    cursor: str | None,
    limit: int,
    valid_at: Callable[[], str],
) -> dict[str, Any]:
    """Give a page of an answer that is read as a whole: the next pages are of the same answer.

    Args:
        asked: Reads the answer, with the times that it is about if it is not the first page.
        form: Writes an item.
        cursor: Where it begins.
        limit: How many are wanted.
        valid_at: Gives the world time of the first page.
    """
    if cursor is None:
        start, times, at = 0, {}, valid_at()
        found = asked({})
    else:
        read = _read(cursor)
        start, at = _number(read, "from"), str(read.get("valid_at"))
        times = {"known_at": _number(read, "head"), "valid_at": at}
        found = asked(times)
    shown = found[start : start + limit]
    following: dict[str, Any] = {"from": start + limit, "head": found.head, "valid_at": at}
    return {
        "items": [form(each) for each in shown],
        "next": _written(following) if len(found) > start + limit else None,
    } | _known(found)


def _known(found: Any) -> dict[str, Any]:
    return {"head": getattr(found, "head", -1), "provisional": getattr(found, "provisional", False)}


def _written(where: dict[str, Any]) -> str:
    text = json.dumps(where, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read(cursor: str) -> dict[str, Any]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        read = json.loads(base64.urlsafe_b64decode(padded.encode("ascii")))
    except (ValueError, UnicodeError) as error:
        raise _strange() from error
    if not isinstance(read, dict):
        raise _strange()
    return read


def _number(read: dict[str, Any], name: str) -> int:
    number = read.get(name)
    if type(number) is not int or not -1 <= number < 2**53:
        raise _strange()
    return number


def _strange() -> InvalidInput:
    return InvalidInput("this is no cursor", hint="Give `next` of the page before.", field="cursor")
