"""Any function from texts to vectors, as an embedder."""

from collections.abc import Callable, Sequence
from typing import Any

from smriti_es.egress import UNDECLARED
from smriti_es.embedders.checked import call_translated, checked_matrix
from smriti_es.embedders.embedder import FloatMatrix
from smriti_es.embedders.identity import EmbedderIdentity
from smriti_es.events.guard import assert_outside_transaction


class CallableEmbedder:
    """Wrap a function that embeds, together with the identity that it cannot state itself.

    Args:
        function: Takes a list of texts and returns one vector for each, as lists or as an array; it
            must be safe to call from several threads.
        model: The model's name. Change it, or `revision`, whenever the function's vectors change.
        dimension: Numbers in a vector.
        revision: Tells two releases of the model apart.
        weak: True when the vectors carry no meaning of the text.
        endpoint: Where the function sends the texts, as an address, or None if they stay in this
            process; a profile refuses a function that does not say.
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        *,
        model: str,
        dimension: int,
        revision: str = "",
        weak: bool = False,
        endpoint: str | None = UNDECLARED,
    ) -> None:
        self._function = function
        self.weak = weak
        self.endpoint = endpoint
        self.identity = EmbedderIdentity(
            kind="callable",
            model=model,
            revision=revision,
            dimension=dimension,
            pooling="model",
            normalised=True,
            max_tokens=0,
        )

    def embed(self, texts: Sequence[str]) -> FloatMatrix:
        """Embed texts with the function: (count, dimension) float32, unit length, in text order.

        Raises:
            EmbedderError: The function raised, or returned something else than a vector for each
                text.
            CallInsideTransaction: A write transaction is open.
        """
        assert_outside_transaction(f"the embedder {self.identity.model}")
        vectors = call_translated(lambda given: self._function(list(given)), texts) if texts else []
        return checked_matrix(vectors, count=len(texts), dimension=self.identity.dimension)
