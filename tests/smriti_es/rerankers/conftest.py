"""A tiny cross-encoder whose scores can be worked out by hand."""

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.onnx_graphs import FLOAT, INT64, field, node, value_info

# The numbers of a token are its row; a pair scores the mean over its tokens.
VOCABULARY = {"[UNK]": 0, "tea": 1, "kite": 2, "odd": 3}
ONE_NUMBER: list[list[float]] = [[0.0], [4.0], [-4.0], [float("nan")]]


def cross_encoder(table: Sequence[Sequence[float]], inputs: Sequence[str]) -> bytes:
    values = [number for row in table for number in row]
    rows = field(1, len(table)) + field(1, len(table[0])) + field(2, FLOAT) + field(8, "table")
    rows += field(9, struct.pack(f"<{len(values)}f", *values))
    axes = field(1, "axes") + field(8, 1) + field(20, 7)
    keepdims = field(1, "keepdims") + field(3, 0) + field(20, 2)
    graph = field(1, node("Gather", ["table", "input_ids"], "tokens"))
    graph += field(1, node("ReduceMean", ["tokens"], "logits", axes, keepdims))
    graph += field(2, "tiny") + field(5, rows)
    graph += b"".join(field(11, value_info(one, INT64, "batch", "sequence")) for one in inputs)
    graph += field(12, value_info("logits", FLOAT, "batch", "classes"))
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


@pytest.fixture
def tiny_judge(tmp_path: Path) -> Callable[..., Path]:
    """Write a folder with a cross-encoder and its word tokenizer."""

    def write(
        table: Sequence[Sequence[float]] = ONE_NUMBER,
        inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    ) -> Path:
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from tokenizers.pre_tokenizers import Whitespace

        folder = tmp_path / "judge"
        folder.mkdir()
        (folder / "model.onnx").write_bytes(cross_encoder(table, inputs))
        tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        return folder

    return write
