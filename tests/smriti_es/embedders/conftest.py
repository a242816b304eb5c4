"""What the embedder tests share: tiny ONNX models whose vectors can be worked out by hand."""

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.onnx_graphs import FLOAT, INT64, field, node, value_info

# The token ids of the vocabulary below; row i of TABLE is the vector of token i.
VOCABULARY = {"[PAD]": 0, "[UNK]": 1, "red": 2, "green": 3, "blue": 4, "empty": 5, "infinite": 6}
VOCABULARY["beyond"] = 99  # has no row
TABLE: list[list[float]] = [[9, 9], [0, -1], [1, 0], [0, 1], [3, 4], [0, 0], [float("inf"), 0]]


def model_bytes(inputs: tuple[str, ...], kind: int, pooled: tuple[int, ...]) -> bytes:
    """A model that looks its tokens up in TABLE, and takes the mean over the axes `pooled`."""
    values = [number for row in TABLE for number in row]
    table = field(1, len(TABLE)) + field(1, 2) + field(2, FLOAT) + field(8, "table")
    table += field(9, struct.pack(f"<{len(values)}f", *values))
    nodes = [node("Gather", ["table", "input_ids"], "tokens")]
    outputs = [value_info("tokens", FLOAT, "batch", "sequence", "dimension")]
    if pooled:
        axes = field(1, "axes") + b"".join(field(8, one) for one in pooled) + field(20, 7)
        keepdims = field(1, "keepdims") + field(3, 0) + field(20, 2)
        nodes.append(node("ReduceMean", ["tokens"], "sentence_embedding", axes, keepdims))
        left = [name for axis, name in ((1, "sequence"), (2, "dimension")) if axis not in pooled]
        outputs.append(value_info("sentence_embedding", FLOAT, "batch", *left))
    graph = b"".join(field(1, one) for one in nodes) + field(2, "tiny") + field(5, table)
    graph += b"".join(field(11, value_info(one, kind, "batch", "sequence")) for one in inputs)
    graph += b"".join(field(12, one) for one in outputs)
    return field(1, 8) + field(8, field(1, "") + field(2, 13)) + field(7, graph)


@pytest.fixture
def tiny_model(tmp_path: Path) -> Callable[..., Path]:
    """Write a folder with a two-dimensional model and its word tokenizer."""

    def write(
        *,
        inputs: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids"),
        kind: int = INT64,
        pooled: tuple[int, ...] = (),
        name: str = "tiny",
    ) -> Path:
        from tokenizers import Tokenizer
        from tokenizers.models import WordLevel
        from tokenizers.pre_tokenizers import Whitespace

        folder = tmp_path / name
        folder.mkdir()
        (folder / "model.onnx").write_bytes(model_bytes(inputs, kind, pooled))
        tokenizer = Tokenizer(WordLevel(VOCABULARY, unk_token="[UNK]"))
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(folder / "tokenizer.json"))
        return folder

    return write
