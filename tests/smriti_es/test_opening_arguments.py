"""What `Engine.open` is given: whatever cannot be used is refused before anything is made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from smriti_es.embedders import HashEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import InvalidInput


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"spaces": "main"}, "spaces takes a list of names"),
        ({"spaces": []}, "spaces is empty, so that nothing could be read"),
        ({"spaces": ["main", 5]}, "spaces must be text, not int"),
        ({"spaces": ["main", ""]}, "spaces is blank"),
        ({"space": None}, "space must be text, not NoneType"),
        ({"read_only": "x"}, "read_only is 'x'"),
        ({"receipts": "x"}, "receipts is 'x'"),
        ({"arbiter": "x"}, "arbiter is 'x', and no object that can be used"),
        ({"arbiter": "auto"}, "arbiter is 'auto', and no object that can be used"),
        ({"arbiter": object()}, "arbiter is of type object, which has no decide"),
        ({"extractor": "patterns"}, "extractor is 'patterns', and no object that can be used"),
        ({"extractor": HashEmbedder()}, "extractor is of type HashEmbedder, which has no name"),
        ({"embedder": "minilm"}, "embedder is 'minilm', and no object that can be used"),
        ({"embedder": HashEmbedder}, "embedder is the class HashEmbedder, and no object"),
        ({"embedder": 5}, "embedder is of type int, which has no identity and no weak and no"),
        ({"clock": 5}, "clock must be a function, not int"),
        ({"settings": 5}, "settings must be Settings, not int"),
        ({"timezone": 5}, "timezone must be text, not int"),
        ({"tenant": None}, "a tenant's name has 1 to 200 printable characters"),
        ({"tenant": "a\nb"}, "a tenant's name has 1 to 200 printable characters"),
        ({"actor": ""}, "actor is blank"),
        ({"actor": "é"}, "actor holds a character that the log cannot keep in a header"),
        ({"actor": "a" * 201}, "actor has 201 characters, at most 200 are allowed"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_hint_and_makes_no_file(
    given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Engine.open(tmp_path / "memory.db", **({"embedder": None, "extractor": None} | given))
    assert str(refused.value).startswith(message)
    assert refused.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (None, "location must be a path, not NoneType"),
        (5, "location must be a path, not int"),
        (b"x.db", "location must be a path, not bytes"),
        ("\ud800", "location holds half of a surrogate pair at offset 0"),
        ("a\0b", "location holds NUL"),
        ("", "location is empty"),
        ("mysql://host/memory", "mysql:// is not supported by this release"),
    ],
)
def test_what_is_no_path_is_refused_with_a_hint(location: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        Engine.open(location)
    assert str(refused.value) == message
    assert refused.value.hint


def test_an_actor_that_a_header_cannot_hold_is_told_what_one_can() -> None:
    with pytest.raises(InvalidInput) as refused:
        Engine.open(":memory:", actor="Zoë")
    assert refused.value.hint == "Write printable ASCII without quote and backslash, as in agent-7."


def test_no_model_is_asked_before_the_memory_is_open(tmp_path: Path) -> None:
    class Asked:
        weak = False

        @property
        def identity(self) -> Any:
            raise AssertionError("asked")

    with pytest.raises(InvalidInput, match=r"of type Asked, which has no embed$"):
        Engine.open(tmp_path / "memory.db", embedder=Asked())  # type: ignore[arg-type]


def test_an_adapter_that_hands_everything_on_to_another_is_taken(
    engine: Callable[..., Engine],
) -> None:
    class Proxy:
        def __getattr__(self, name: str) -> Any:
            return getattr(HashEmbedder(), name)

    memory = engine(embedder=Proxy(), extractor=None)
    memory.add("I moved to Graz.", session="s", wait_for="vectors")
    assert memory.status().vectors == 1
