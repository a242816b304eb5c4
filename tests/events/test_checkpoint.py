"""A checkpoint is a signed note of at least three lines: origin, size and root."""

import base64

import pytest

from smriti_es.events.checkpoint import (
    Checkpoint,
    checkpoint_text,
    key_name,
    log_id_of,
    origin_of,
)
from smriti_es.events.errors import InvalidInput
from smriti_es.events.signed_note import NoteSignature

LOG = "0f" * 16
ROOT = bytes(range(32))
ENCODED = base64.b64encode(ROOT).decode()
BELOW = "\n\u2014 somebody AAAAAAA=\n"


def test_a_checkpoint_is_written_as_three_lines() -> None:
    assert checkpoint_text("origin", 7, ROOT) == f"origin\n7\n{ENCODED}\n"


@pytest.mark.parametrize("size", [0, 1, 9, 10, 90, 10**19 - 1])
def test_a_checkpoint_says_origin_size_and_root(size: int) -> None:
    text = checkpoint_text("origin", size, ROOT) + BELOW
    found = Checkpoint.parse(text)
    assert (found.origin, found.size, found.root) == ("origin", size, ROOT)
    assert str(found) == text


def test_further_lines_are_passed_over_and_kept() -> None:
    text = f"origin\n7\n{ENCODED}\nan extension\n{BELOW}"
    assert str(Checkpoint.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        f"origin\n{ENCODED}\n",
        "origin\n7\n",
        f"\n7\n{ENCODED}\n",
        f"origin\n07\n{ENCODED}\n",
        f"origin\n{10**19}\n{ENCODED}\n",
        f"origin\n-7\n{ENCODED}\n",
        f"origin\n7\n{base64.b64encode(ROOT[1:]).decode()}\n",
        f"origin\n7\n{base64.b64encode(ROOT + ROOT).decode()}\n",
        "origin\n7\nno root\n",
        f"origin\n7\n{ENCODED}\n\nanother\n",
    ],
)
def test_what_is_no_checkpoint_is_refused_as_the_argument_checkpoint(text: str) -> None:
    with pytest.raises(InvalidInput, match="this is no checkpoint") as refused:
        Checkpoint.parse(text + BELOW)
    assert refused.value.field == "checkpoint"


def test_the_origin_names_the_log_and_where_it_was_restored() -> None:
    assert key_name(LOG) == f"smriti-es/{LOG}"
    assert origin_of(LOG, None) == f"smriti-es/{LOG}"
    assert origin_of(LOG, 0) == f"smriti-es/{LOG}/0"


@pytest.mark.parametrize(
    ("origin", "log"),
    [
        (f"smriti-es/{LOG}", LOG),
        (f"smriti-es/{LOG}/7", LOG),
        (f"smriti-es/{LOG}/7/8", None),
        ("smriti-es", None),
        (f"other/{LOG}", None),
        ("", None),
    ],
)
def test_only_an_origin_of_ours_names_a_log(origin: str, log: str | None) -> None:
    assert log_id_of(origin) == log


def test_signatures_of_witnesses_are_added_below() -> None:
    text = checkpoint_text("origin", 7, ROOT) + BELOW
    added = NoteSignature("witness", bytes(4), b"\1")
    found = Checkpoint.parse(text).with_signatures([added])
    assert str(found) == f"{text}\u2014 witness AAAAAAE=\n"
    assert (found.origin, found.size, found.root) == ("origin", 7, ROOT)
