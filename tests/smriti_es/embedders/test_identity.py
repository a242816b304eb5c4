"""An identity names exactly what decides a vector, and survives the way through the log."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smriti_es.embedders import EmbedderIdentity
from smriti_es.events.errors import InvalidInput

MINILM = EmbedderIdentity("onnx", "all-MiniLM-L6-v2", "abc", 384, "mean", True, 256)
NAMES = st.text(st.characters(categories=["L", "N", "P"]), min_size=1)
IDENTITIES = st.builds(
    EmbedderIdentity,
    kind=NAMES,
    model=NAMES,
    revision=st.text(),
    dimension=st.integers(1, 10_000),
    pooling=st.text(),
    normalised=st.booleans(),
    max_tokens=st.integers(0, 10_000),
)


@given(IDENTITIES)
def test_from_dict_reads_what_to_dict_wrote(identity: EmbedderIdentity) -> None:
    assert EmbedderIdentity.from_dict(identity.to_dict()) == identity


def test_the_dictionary_holds_the_seven_fields() -> None:
    assert MINILM.to_dict() == {
        "kind": "onnx",
        "model": "all-MiniLM-L6-v2",
        "revision": "abc",
        "dimension": 384,
        "pooling": "mean",
        "normalised": True,
        "max_tokens": 256,
    }


def test_the_digest_is_the_head_of_the_sha256_of_the_canonical_json() -> None:
    # printf '%s' '{"dimension":384,"kind":"onnx",...}' | sha256sum | head -c 16
    assert MINILM.digest == "74c75804a2397792"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "http"},
        {"model": "other"},
        {"revision": "abd"},
        {"dimension": 385},
        {"pooling": "model"},
        {"normalised": False},
        {"max_tokens": 512},
    ],
)
def test_every_field_changes_the_digest(change: dict[str, Any]) -> None:
    assert replace(MINILM, **change).digest != MINILM.digest


def test_a_missing_field_is_named() -> None:
    values = MINILM.to_dict()
    del values["pooling"]
    with pytest.raises(InvalidInput, match="lacks the field 'pooling'"):
        EmbedderIdentity.from_dict(values)


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(InvalidInput, match="unknown field 'endpoint'"):
        EmbedderIdentity.from_dict({**MINILM.to_dict(), "endpoint": "http://localhost"})


@pytest.mark.parametrize(
    ("name", "value"), [("dimension", "384"), ("dimension", True), ("model", 7)]
)
def test_a_field_of_another_type_is_named(name: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"the embedder's {name} is {value!r}") as caught:
        EmbedderIdentity.from_dict({**MINILM.to_dict(), name: value})
    assert caught.value.field == name


@pytest.mark.parametrize(
    "change",
    [{"kind": ""}, {"model": ""}, {"model": "a\nb"}, {"dimension": 0}, {"max_tokens": -1}],
)
def test_an_identity_that_names_nothing_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        replace(MINILM, **change)
    assert caught.value.field == next(iter(change))
