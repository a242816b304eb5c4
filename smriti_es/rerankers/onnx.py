"""A cross-encoder in ONNX form, run in this process on the CPU.

It reads the question and one text together and gives one number, or two of which the second speaks
for the text. Each pair is a run of its own: its score does not depend on what else is judged.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import exp
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from smriti_es.events.errors import NotFound, RerankerError
from smriti_es.events.guard import assert_outside_transaction
from smriti_es.rerankers.posting import at_least_one
from smriti_es.rerankers.reranker import Score

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MODEL_FILE: Final = "model.onnx"
_TOKENIZER_FILE: Final = "tokenizer.json"
_THREADS_MAX: Final = 4
_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_TWO_CLASSES: Final = 2


@dataclass(frozen=True, slots=True)
class _Runtime:
    """A loaded model: tokenizer, session, and the integer type of each input."""

    tokenizer: "Tokenizer"
    session: Any
    inputs: dict[str, str]


class OnnxReranker:
    """Judge with a cross-encoder in a local folder; nothing is downloaded.

    The model is loaded by the first call that needs it.

    Args:
        folder: A folder with `model.onnx` and `tokenizer.json`.
        max_tokens: Tokens of question and text together that count; the longer one is cut.
        threads: Pairs that are judged at the same time; None takes the cores, at most 4.

    Raises:
        NotFound: A file is missing.
        InvalidInput: A number is out of range.
    """

    # Nothing leaves this process.
    endpoint: str | None = None

    def __init__(
        self, folder: str | Path, *, max_tokens: int = 512, threads: int | None = None
    ) -> None:
        self._folder = Path(folder)
        for name in (_MODEL_FILE, _TOKENIZER_FILE):
            if not (self._folder / name).is_file():
                raise NotFound(
                    f"no such file: {self._folder / name}",
                    hint=f"A cross-encoder's folder holds {_MODEL_FILE} and {_TOKENIZER_FILE}.",
                    file=str(self._folder / name),
                )
        self.model = self._folder.name
        self._max_tokens = at_least_one("max_tokens", max_tokens)
        cores = min(_THREADS_MAX, os.cpu_count() or 1)
        self._threads = at_least_one("threads", cores if threads is None else threads)
        self._lock = Lock()
        self._runtime: _Runtime | None = None

    def __repr__(self) -> str:
        return f"OnnxReranker({str(self._folder)!r})"

    def rerank(self, query: str, docs: Sequence[str]) -> list[Score]:
        """Judge texts: 0 to 1 each, the same for the same question and text.

        Raises:
            RerankerError: The model cannot be loaded or run.
            CallInsideTransaction: A write transaction is open.
        """
        if not docs:
            return []
        assert_outside_transaction("the reranker")
        self._opened()
        if len(docs) == 1 or self._threads == 1:
            return [self._judge(query, doc) for doc in docs]
        with ThreadPoolExecutor(min(self._threads, len(docs))) as pool:
            return list(pool.map(lambda doc: self._judge(query, doc), docs))

    def _judge(self, query: str, doc: str) -> float:
        import numpy

        runtime = self._opened()
        encoding = runtime.tokenizer.encode(query or " ", doc or " ")
        columns = (encoding.ids, encoding.attention_mask, encoding.type_ids)
        arrays = dict(zip(_INPUTS, columns, strict=True))
        feed = {name: numpy.array([arrays[name]], kind) for name, kind in runtime.inputs.items()}
        try:
            output = numpy.asarray(runtime.session.run(None, feed)[0], numpy.float64).reshape(-1)
        except Exception as error:  # the runtime's errors share no class of their own
            raise self._unusable(f"cannot be run: {error}") from error
        if len(output) not in (1, _TWO_CLASSES):
            raise self._unusable(f"gives {len(output)} numbers where 1 or 2 are meant")
        return _probability(float(output[-1] - (output[0] if len(output) > 1 else 0.0)))

    def _opened(self) -> _Runtime:
        with self._lock:
            if self._runtime is None:
                self._runtime = self._open()
            return self._runtime

    def _open(self) -> _Runtime:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # Idle threads of the runtime must not burn the core that the log's writer needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER_FILE))
            tokenizer.no_padding()
            tokenizer.enable_truncation(self._max_tokens)
            session = onnxruntime.InferenceSession(
                str(self._folder / _MODEL_FILE), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise the bare class
            raise self._unusable(f"cannot be loaded: {error}") from error
        inputs = {each.name: _integer_type(each.type) for each in session.get_inputs()}
        if unknown := sorted(inputs.keys() - set(_INPUTS)):
            raise self._unusable(f"wants the input {unknown[0]}, which no tokenizer gives")
        return _Runtime(tokenizer, session, inputs)

    def _unusable(self, problem: str) -> RerankerError:
        return RerankerError(
            f"the cross-encoder in {self._folder} {problem}",
            hint="Export a cross-encoder to ONNX with its own tokenizer.json, and try again.",
            folder=str(self._folder),
        )


def _integer_type(declared: str) -> str:
    return "int32" if declared == "tensor(int32)" else "int64"


def _probability(logit: float) -> float:
    """Bring a number into 0 to 1, in their order; without overflow on either side."""
    if logit >= 0.0:
        return 1.0 / (1.0 + exp(-min(logit, 700.0)))
    lowered = exp(max(logit, -700.0))
    return lowered / (1.0 + lowered)
