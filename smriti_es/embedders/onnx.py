"""A sentence model in ONNX form, run in this process on the CPU.

Texts are sorted by length and cut into small batches, each of which one thread runs alone. That
wastes little on padding, fits the caches, and makes the batches (hence the vectors) independent of
the number of threads.

A model that gives a vector for each token gives them on, reduced to 128 dimensions (see
`token_projection`): one run yields both those and their mean.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from smriti_es.embedders.checked import checked_matrix
from smriti_es.embedders.embedder import FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.embedders.token_projection import TokenProjection
from smriti_es.embedders.tokens import TokenVectors
from smriti_es.embedders.weights import sha256_of
from smriti_es.events.errors import EmbedderError, InvalidInput, NotFound
from smriti_es.events.guard import assert_outside_transaction

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"

# A batch of more padded tokens is slower per text: its activations leave the core's cache.
_BATCH_TOKENS_MAX = 256
_THREADS_MAX = 4
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_POOLED_OUTPUT = "sentence_embedding"


@dataclass(frozen=True, slots=True)
class _Runtime:
    """A loaded model: tokenizer, session, the integer type of each input, the output to read."""

    tokenizer: "Tokenizer"
    session: Any
    inputs: dict[str, str]
    output: str


@dataclass(frozen=True, slots=True)
class _Output:
    """What the model gave for a batch.

    Attributes:
        vectors: (texts, dimension), one for each text.
        tokens: (tokens, dimension) for each text; None from a model that pools by itself.
    """

    vectors: FloatMatrix
    tokens: list[Any] | None


class OnnxEmbedder:
    """Embed with a sentence model in a local folder; nothing is downloaded.

    Token vectors are averaged under the attention mask, unless the model pools by itself; the
    result is brought to unit length. The model is loaded by the first call that needs it.

    Args:
        path: A folder with `model.onnx` and `tokenizer.json`, or the model file itself.
        tokenizer: The tokenizer file, when it does not lie beside the model.
        model_name: The name in the identity; None takes the name of the folder.
        max_tokens: Tokens of a text that count, 2 or more; the rest is cut off.
        threads: Batches that run at the same time; None takes the usable cores, at most 4.
        batch_size: The most texts in a batch.
        token_projection: A file that `python -m smriti_es.embedders.fit_token_projection` wrote for
            this model; None keeps the first 128 dimensions of its token vectors.

    Raises:
        NotFound: A file is missing.
        InvalidInput: A number is out of range.
    """

    weak = False
    # Nothing leaves this process.
    endpoint: str | None = None

    def __init__(
        self,
        path: str | Path,
        *,
        tokenizer: str | Path | None = None,
        model_name: str | None = None,
        max_tokens: int = 256,
        threads: int | None = None,
        batch_size: int = 32,
        token_projection: str | Path | None = None,
    ) -> None:
        given = Path(path)
        is_model = given.is_file() or given.suffix == ".onnx"
        self._model = _existing(given if is_model else given / MODEL_FILE)
        self._tokenizer = _existing(
            Path(tokenizer) if tokenizer is not None else self._model.with_name(TOKENIZER_FILE)
        )
        self._model_name = model_name or self._model.parent.name
        self._max_tokens = _at_least(2, "max_tokens", max_tokens)
        self._threads = _at_least(1, "threads", _usable_cores() if threads is None else threads)
        self._batch_size = _at_least(1, "batch_size", batch_size)
        self._projection = TokenProjection(
            None if token_projection is None else _existing(Path(token_projection))
        )
        self._lock = Lock()
        self._runtime: _Runtime | None = None
        self._identity: EmbedderIdentity | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._model)!r})"

    @property
    def identity(self) -> EmbedderIdentity:
        """The model by the SHA-256 of its file; loads the model to learn its dimension.

        Raises:
            EmbedderError: The model cannot be loaded or run.
            CallInsideTransaction: It would have to be loaded while a write transaction is open.
        """
        if self._identity is None:
            assert_outside_transaction(f"the embedder {self._model_name}")
            probed = self._run([self._opened().tokenizer.encode(" ")])
            self._identity = EmbedderIdentity(
                kind="onnx",
                model=self._model_name,
                revision=sha256_of(self._model),
                dimension=int(probed.vectors.shape[1]),
                pooling="model" if probed.tokens is None else "mean",
                normalised=True,
                max_tokens=self._max_tokens,
            )
        return self._identity

    @property
    def token_space(self) -> str | None:
        """Name the space of the token vectors; None for a model that pools by itself.

        Raises:
            EmbedderError: The model cannot be loaded or run.
        """
        if self.identity.pooling == "model":
            return None
        return f"{self.identity.digest}:{self._projection.digest}"

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts: (count, dimension) float32, unit length, row order = text order.

        An empty text is embedded as a blank.

        Raises:
            EmbedderError: The model cannot be loaded or run, or gave no usable vector.
            CallInsideTransaction: A write transaction is open.
        """
        return self._embed(texts)[0]

    def embed_tokens(self, texts: Sequence[str]) -> tuple[FloatMatrix, list[TokenVectors]]:
        """Embed texts, and give the token vectors that each of their vectors is the mean of.

        Raises:
            EmbedderError: The model cannot be loaded or run, or gave no usable vector.
            CallInsideTransaction: A write transaction is open.
        """
        vectors, read = self._embed(texts)
        return vectors, [
            self._projection.token_vectors(text, encoding.offsets, rows)
            for text, (encoding, rows) in zip(texts, read, strict=True)
        ]

    def _embed(self, texts: Sequence[str]) -> "tuple[FloatMatrix, list[tuple[Encoding, Any]]]":
        """Give a vector for each text, and how the model read it: its tokens, a row for each."""
        import numpy

        assert_outside_transaction(f"the embedder {self._model_name}")
        if not texts:
            return checked_matrix([], count=0, dimension=self.identity.dimension), []
        tokenizer = self._opened().tokenizer
        # One by one: encode_batch would start threads on every core, which also break a later fork.
        encodings = [tokenizer.encode(text or " ") for text in texts]
        batches = _batches([len(encoding.ids) for encoding in encodings], self._batch_size)
        outputs = self._run_all([[encodings[index] for index in batch] for batch in batches])
        vectors = numpy.empty((len(texts), outputs[0].vectors.shape[1]), numpy.float32)
        rows: dict[int, Any] = {}
        for batch, output in zip(batches, outputs, strict=True):
            vectors[batch] = output.vectors
            rows.update(zip(batch, output.tokens or [None] * len(batch), strict=True))
        read = [(encoding, rows[index]) for index, encoding in enumerate(encodings)]
        return checked_matrix(vectors, count=len(texts), dimension=None), read

    @property
    def vocabulary(self) -> list[str]:
        """The tokens that the model knows, in no order."""
        return list(self._opened().tokenizer.get_vocab())

    def raw_tokens(self, text: str) -> Any:
        """Give the model's own vector for each token of a text, without those that it adds."""
        ((encoding, rows),) = self._embed([text])[1]
        return rows[[start < end for start, end in encoding.offsets]]

    def verify_files(self) -> None:
        """Check the model's files, as the first use does: here, that they are still there.

        Raises:
            NotFound: A file is missing.
        """
        _existing(self._model)
        _existing(self._tokenizer)

    def _run_all(self, batches: "list[list[Encoding]]") -> list[_Output]:
        if len(batches) == 1 or self._threads == 1:
            return [self._run(batch) for batch in batches]
        with ThreadPoolExecutor(min(self._threads, len(batches))) as pool:
            return list(pool.map(self._run, batches))

    def _run(self, batch: "list[Encoding]") -> _Output:
        import numpy

        runtime = self._opened()
        # A text without any token stands as one padding token: a mean over nothing is no vector.
        lengths = [max(1, len(encoding.ids)) for encoding in batch]
        ids = numpy.zeros((len(batch), max(lengths)), numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, (encoding, length) in enumerate(zip(batch, lengths, strict=True)):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, :length] = 1
        arrays = dict(zip(_INPUTS, (ids, mask, numpy.zeros_like(ids)), strict=True))
        feed = {name: arrays[name].astype(kind) for name, kind in runtime.inputs.items()}
        try:
            (output,) = runtime.session.run([runtime.output], feed)
        except Exception as error:  # the runtime's errors share no class of their own
            raise self._unusable(f"cannot be run: {error}") from error
        if output.ndim == 2:
            return _Output(output, None)
        if output.ndim != 3:
            raise self._unusable(f"gives {output.ndim} dimensions where 2 or 3 are meant")
        weights = mask.astype(numpy.float32)
        rows = output.astype(numpy.float32)
        summed = numpy.einsum("btd,bt->bd", rows, weights)
        tokens = [row[:length] for row, length in zip(rows, lengths, strict=True)]
        return _Output(summed / weights.sum(axis=1, keepdims=True), tokens)

    def _opened(self) -> _Runtime:
        if self._runtime is None:
            with self._lock:
                if self._runtime is None:
                    self.verify_files()
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
        options.enable_cpu_mem_arena = False  # it would keep the largest batch's memory for good
        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer))
            session = onnxruntime.InferenceSession(
                str(self._model), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # both libraries raise the bare class
            raise self._unusable(f"cannot be loaded: {error}") from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        inputs = {one.name: _integer_type(one.type) for one in session.get_inputs()}
        if unknown := sorted(inputs.keys() - set(_INPUTS)):
            raise self._unusable(f"wants the input {unknown[0]}, which no tokenizer gives")
        outputs = [one.name for one in session.get_outputs()]
        output = _POOLED_OUTPUT if _POOLED_OUTPUT in outputs else outputs[0]
        return _Runtime(tokenizer, session, inputs, output)

    def _unusable(self, problem: str) -> EmbedderError:
        return EmbedderError(
            f"the model {self._model} (tokenizer {self._tokenizer}) {problem}",
            hint="Export a sentence model to ONNX with its own tokenizer.json, and try again.",
            file=str(self._model),
        )


def _batches(lengths: Sequence[int], batch_size: int) -> list[list[int]]:
    """Group the indexes of texts of about one length, with few padded tokens in each group."""
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        batch = batches[-1] if batches else []
        full = len(batch) == batch_size or (len(batch) + 1) * lengths[index] > _BATCH_TOKENS_MAX
        if full or not batch:
            batches.append([index])
        else:
            batch.append(index)
    return batches


def _integer_type(declared: str) -> str:
    return "int32" if declared == "tensor(int32)" else "int64"


def _existing(path: Path) -> Path:
    if path.is_file():
        return path
    raise NotFound(
        f"no such file: {path}",
        hint=f"An ONNX model folder holds {MODEL_FILE} and {TOKENIZER_FILE}; "
        "give `tokenizer` when the tokenizer lies elsewhere.",
        file=str(path),
    )


def _at_least(least: int, name: str, value: int) -> int:
    if value < least:
        raise InvalidInput(
            f"{name} is {value}, but at least {least} is needed",
            hint=f"Give {name} as a whole number from {least} on.",
            field=name,
        )
    return value


def _usable_cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # not on every platform
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(cores, _THREADS_MAX)
