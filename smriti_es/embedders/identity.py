"""Who made a vector: the name under which vectors may be compared with one another."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from smriti_es.events.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything that decides which vector a text gets, and nothing else.

    There is no endpoint and no credential in it: a model that moves to another host keeps its
    vectors, and an identity can be written into the log. Source: design page on projections,
    "Changing the embedder".

    Attributes:
        kind: The adapter: `onnx`, `numpy`, `http`, `hash` or `callable`.
        model: The model's name.
        revision: SHA-256 of the weights, or what else tells two releases apart; "" when unknown.
        dimension: Numbers in a vector, at least 1.
        pooling: How one vector came from many tokens: `mean`, or `model` when the model did it.
        normalised: Whether vectors have unit length.
        max_tokens: Tokens of a text that count, the rest being cut; 0 when unlimited or unknown.
    """

    kind: str
    model: str
    revision: str
    dimension: int
    pooling: str
    normalised: bool
    max_tokens: int

    def __post_init__(self) -> None:
        for name in ("kind", "model"):
            value = getattr(self, name)
            if not value or not value.isprintable():
                raise InvalidInput(
                    f"an embedder's {name} must be printable text, not {value!r}",
                    hint=f"Give the embedder a {name} that tells it from others.",
                    field=name,
                )
        if self.dimension < 1 or self.max_tokens < 0:
            raise InvalidInput(
                f"no embedder has {self.dimension} dimensions and reads {self.max_tokens} tokens",
                hint="The dimension is at least 1 and max_tokens at least 0 (no limit).",
                field="dimension" if self.dimension < 1 else "max_tokens",
            )

    @property
    def digest(self) -> str:
        """Sixteen hex digits that differ whenever two identities do; the key of stored vectors."""
        canonical = json.dumps(
            self.to_dict(), ensure_ascii=False, separators=(",", ":"), sort_keys=True
        )
        return hashlib.sha256(canonical.encode("utf-8")).hexdigest()[:16]

    def to_dict(self) -> dict[str, str | int | bool]:
        """Return the fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote.

        Args:
            values: Exactly the fields of an identity, by name.

        Returns:
            The identity, equal to the one that was written.

        Raises:
            InvalidInput: A field is missing, unknown or of another type.
        """
        types: dict[str, Any] = {one.name: one.type for one in fields(cls)}
        for name in sorted(types.keys() ^ values.keys()):
            problem = "lacks the field" if name in types else "has the unknown field"
            raise InvalidInput(
                f"the embedder's identity {problem} {name!r}",
                hint="Write it with EmbedderIdentity.to_dict of the same release.",
                field=name,
            )
        for name, kind in types.items():
            if type(values[name]) is not kind:
                raise InvalidInput(
                    f"the embedder's {name} is {values[name]!r}, which is no {kind.__name__}",
                    hint="Write it with EmbedderIdentity.to_dict.",
                    field=name,
                )
        return cls(**values)
