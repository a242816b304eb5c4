"""Events about the log itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOpened:
    """A log came into being: always the event at position 0, recorded by the engine that made it.

    Attributes:
        tenant: The name under which the registry knows this log.
        timezone: IANA name of the zone in which times without an offset are read.
        engine: Name and version of the software that opened it.
        key_check: 64 hex, an HMAC under the log's own key, by which `verify` tells that the key is
            still it.
        single_valued: Predicates that hold one value at a time in this log, `favourite_*` for all
            that begin so; None: nothing was recorded of it, as in version 1.
        trust: The profile of trust that it was founded with.
    """

    TYPE: ClassVar[str] = "LogOpened"
    VERSION: ClassVar[int] = 2
    FACETS: ClassVar[tuple[str, ...]] = ()

    tenant: str
    timezone: str
    engine: str
    key_check: str
    single_valued: Sequence[str] | None = None
    trust: str = "personal"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogImported:
    """A log was taken over from a bundle, and goes on here; recorded by the import.

    The keys under which it was opened do not come along in a bundle, and others are used from here
    on; a log that is moved brings them.

    Attributes:
        size: How many events the bundle held.
        root: Merkle root over them, 64 hex.
        tenant: The name under which the registry knows this log from here on.
        engine: Name and version of the software that took it over.
        key_check: As in `LogOpened`, of the log's new key.
        reason: Why.
    """

    TYPE: ClassVar[str] = "LogImported"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("size", "root")

    size: int
    root: str
    tenant: str
    engine: str
    key_check: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged:
    """An owner changed a setting of the log.

    Attributes:
        trust: The profile of trust from here on.
        reason: Why.
    """

    TYPE: ClassVar[str] = "SettingsChanged"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ()

    trust: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderChanged:
    """From here on vectors are made by another embedder; recorded when one is bound or switched.

    Attributes:
        embedder: Its identity (kind, model, revision, dimension, pooling, normalised, max_tokens),
            without endpoint or credentials.
        generation: The generation of the vectors projection that holds its vectors.
    """

    TYPE: ClassVar[str] = "EmbedderChanged"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("generation",)

    generation: int
    embedder: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionSkipped:
    """The owner let a projection step over one event, here and in every rebuild.

    Attributes:
        projection: Name of the projection.
        target: Position of the event that is stepped over.
        reason: Why, in the owner's words.
    """

    TYPE: ClassVar[str] = "ProjectionSkipped"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("projection", "target")

    projection: str
    target: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRotated:
    """From here on another key signs the log's checkpoints; also recorded for the first one.

    Attributes:
        key: The public key, as C2SP writes keys of signed notes: `name+id+base64`.
        previous: The key that it takes over from; empty for the first.
        endorsement: Signature of `previous` over both, in base64; empty for the first, and where
            the secret of `previous` was lost.
        reason: Why, in the owner's words.
    """

    TYPE: ClassVar[str] = "KeyRotated"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("key", "previous", "endorsement")

    key: str
    previous: str = ""
    endorsement: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRestored:
    """An owner let the log go on that does not continue what was attested of it.

    Recorded when an older state of the database took the place of a newer one, as with a backup.
    From here on the log has another identity (`origin`) in its checkpoints.

    Attributes:
        size: How many events the newest checkpoint known outside the database attested.
        root: Root of their tree, 64 hex.
        checkpoint: That checkpoint, a signed note.
        reason: Why, in the owner's words.
    """

    TYPE: ClassVar[str] = "LogRestored"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("size", "root")

    size: int
    root: str
    checkpoint: str
    reason: str = ""
