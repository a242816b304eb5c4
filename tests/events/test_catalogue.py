"""Every event type comes back from its bytes as it was, in today's form."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, fields
from typing import Any, ClassVar, get_origin, get_type_hints

import pytest

from smriti_es.events.catalogue import (
    EVENT_TYPES,
    EmbedderChanged,
    Event,
    ProjectionSkipped,
    SessionStarted,
    TurnRecorded,
)
from smriti_es.events.catalogue.event import body_of, build, facets_of, members_of
from smriti_es.events.errors import IntegrityError, InvalidInput, SchemaNewer
from smriti_es.events.upcast import UPCASTERS, is_known, upcast


def minimal(kind: type[Event]) -> Event:
    """An event of that type with nothing but the fields that it must have."""
    hints = get_type_hints(kind)
    values = {item.name: example(hints[item.name]) for item in fields(kind) if is_required(item)}
    return kind(**values)


def example(hint: Any) -> Any:
    examples = {int: 7, str: "text", bool: True, Sequence: ["text"], Mapping: {"name": "text"}}
    return examples[get_origin(hint) or hint]


def is_required(item: Field[Any]) -> bool:
    return item.default is MISSING and item.default_factory is MISSING


MINIMAL = [minimal(kind) for kind in EVENT_TYPES.values()]
# Written as JSON gives it back: lists, not tuples.
FULL: list[Event] = [
    EmbedderChanged(generation=2, embedder={"model": "m", "dimension": 384, "normalised": True}),
    ProjectionSkipped(projection="turns", target=9, reason="it was a test"),
    SessionStarted(session="s1", space="main", tags=["work", "2026"], metadata={"topic": "trip"}),
    TurnRecorded(
        session=1,
        ordinal=3,
        origin="agent",
        role="assistant",
        text='\u0909\u0938\u0928\u0947 \u0915\u0939\u093e \U0001f600 "quoted" \\ \n\x00 end',
        name="Asha",
        said_at=-1,
        said_precision="day",
        said_text="1969-12-31",
        content=[{"type": "text", "text": "a"}, {"type": "image", "bytes": 12}],
        source_id="m-17",
        kind="note",
        tags=["a"],
        metadata={"score": 0.1, "flag": True, "none": None},
        tool_calls=[{"id": "c1", "name": "search", "arguments": {"q": "x"}}],
        tool_call_id="c0",
        extra={"reasoning": "because"},
    ),
]


def read_back(event: Event) -> Event:
    return upcast(event.TYPE, event.VERSION, members_of(body_of(event)), facets_of(event))


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A type at version 3: `mood` was called `feeling` in version 1, and 2 added `strength`."""

    TYPE: ClassVar[str] = "Renamed"
    VERSION: ClassVar[int] = 3
    FACETS: ClassVar[tuple[str, ...]] = ("place",)

    place: int
    mood: str
    strength: int


@pytest.fixture
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a type with two older versions into the catalogue."""

    def to_two(members: Mapping[str, Any]) -> Mapping[str, Any]:
        return {**members, "strength": 1}

    def to_three(members: Mapping[str, Any]) -> Mapping[str, Any]:
        kept = {name: value for name, value in members.items() if name != "feeling"}
        return {**kept, "mood": members["feeling"]}

    monkeypatch.setitem(EVENT_TYPES, "Renamed", Renamed)
    monkeypatch.setitem(UPCASTERS, ("Renamed", 1), to_two)
    monkeypatch.setitem(UPCASTERS, ("Renamed", 2), to_three)


@pytest.mark.parametrize("event", MINIMAL + FULL, ids=lambda event: str(event.TYPE))
def test_an_event_comes_back_from_its_bytes_as_it_was(event: Event) -> None:
    assert read_back(event) == event


@pytest.mark.parametrize("event", MINIMAL, ids=lambda event: str(event.TYPE))
def test_a_field_at_its_default_is_not_written(event: Event) -> None:
    required = {
        item.name for item in fields(event) if is_required(item) and item.name not in event.FACETS
    }
    assert set(members_of(body_of(event))) == required


@pytest.mark.parametrize("event", MINIMAL + FULL, ids=lambda event: str(event.TYPE))
def test_facets_stand_in_the_header_and_not_in_the_payload(event: Event) -> None:
    assert facets_of(event).keys() == set(event.FACETS)
    assert not members_of(body_of(event)).keys() & set(event.FACETS)


@pytest.mark.parametrize("event", MINIMAL, ids=lambda event: str(event.TYPE))
def test_a_type_is_named_like_its_class_and_frozen(event: Event) -> None:
    assert type(event).__name__ == event.TYPE
    assert EVENT_TYPES[event.TYPE] is type(event)
    with pytest.raises((FrozenInstanceError, TypeError)):
        setattr(event, fields(event)[0].name, "other")


def test_a_payload_is_sorted_json_in_utf_8_without_white_space() -> None:
    event = SessionStarted(session="caf\u00e9", space="main", tags=["b", "a"])
    assert body_of(event) == b'{"session":"caf\xc3\xa9","space":"main","tags":["b","a"]}'


def test_what_the_log_adds_stands_in_the_payload_and_is_no_part_of_the_event() -> None:
    event = SessionStarted(session="s", space="main")
    body = body_of(event, {"$idempotency": {"key": "k"}})
    assert json.loads(body)["$idempotency"] == {"key": "k"}
    assert build(SessionStarted, members_of(body), {}) == event


@pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        {"a": "\udfff"},
        float("nan"),
        [float("inf")],
        pytest.param(object(), id="object"),
        {1, 2},
        b"bytes",
    ],
    ids=repr,
)
def test_content_that_has_no_form_in_json_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput, match="TurnRecorded cannot be written as JSON"):
        body_of(
            TurnRecorded(session=1, ordinal=0, origin="owner", role="user", text="", content=value)
        )


def test_content_nested_deeper_than_can_be_written_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    event = TurnRecorded(session=1, ordinal=0, origin="owner", role="user", text="", content=nested)
    with pytest.raises(InvalidInput):
        body_of(event)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"null", b'"text"', b"{", b"\xff", b"[" * 100_000],
    ids=lambda b: repr(b[:9]),
)
def test_a_payload_that_is_no_json_object_cannot_be_read(body: bytes) -> None:
    with pytest.raises(IntegrityError):
        members_of(body)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"session": "s"},
        {"session": "s", "space": "main", "surplus": 1},
    ],
)
def test_a_payload_of_another_form_than_its_type_cannot_be_read(members: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match="SessionStarted"):
        upcast("SessionStarted", 1, members, {})


def test_a_payload_that_repeats_a_facet_cannot_be_read() -> None:
    with pytest.raises(IntegrityError):
        upcast("ProjectionSkipped", 1, {"target": 1}, {"projection": "turns", "target": 2})


@pytest.mark.parametrize(
    ("kind", "version"), [("TurnRecorded", 2), ("TurnRecorded", 0), ("FactForeseen", 1), ("", 1)]
)
def test_a_type_or_version_of_a_later_release_is_refused(kind: str, version: int) -> None:
    assert not is_known(kind, version)
    with pytest.raises(SchemaNewer, match="not known to this release"):
        upcast(kind, version, {}, {})


@pytest.mark.parametrize("name", sorted(EVENT_TYPES))
def test_every_version_up_to_the_current_one_is_known(name: str) -> None:
    assert all(is_known(name, version) for version in range(1, EVENT_TYPES[name].VERSION + 1))


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize(
    ("version", "members"),
    [
        (1, {"feeling": "glad"}),
        (2, {"feeling": "glad", "strength": 1}),
        (3, {"mood": "glad", "strength": 1}),
    ],
)
def test_an_old_payload_is_brought_to_the_current_form_step_by_step(
    version: int, members: dict[str, Any]
) -> None:
    assert upcast("Renamed", version, members, {"place": 5}) == Renamed(
        place=5, mood="glad", strength=1
    )


@pytest.mark.usefixtures("renamed")
def test_every_older_version_in_the_catalogue_has_a_step_to_the_next() -> None:
    steps = {
        (name, version) for name, kind in EVENT_TYPES.items() for version in range(1, kind.VERSION)
    }
    assert steps == set(UPCASTERS)


def test_making_an_event_does_not_change_the_members_it_is_made_of() -> None:
    members: dict[str, Any] = {"session": "s", "space": "main", "$idempotency": {}}
    build_it: Callable[..., Event] = build
    build_it(SessionStarted, members, {})
    assert sorted(members) == ["$idempotency", "session", "space"]
