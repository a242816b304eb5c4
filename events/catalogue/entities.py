"""Events about who is who."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityAliased:
    """Two names are the same entity from now on; an owner said so.

    Attributes:
        alias: The other name, as it was given.
        canonical: The name that stands for both.
        reason: Why.
    """

    TYPE: ClassVar[str] = "EntityAliased"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ()

    alias: str
    canonical: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasRemoved:
    """Two names are not the same entity after all.

    Attributes:
        aliased: Position of the `EntityAliased` that is taken back.
        reason: Why.
    """

    TYPE: ClassVar[str] = "AliasRemoved"
    VERSION: ClassVar[int] = 1
    FACETS: ClassVar[tuple[str, ...]] = ("aliased",)

    aliased: int
    reason: str = ""
