"""What may be chosen about trust when a memory is opened, checked and put together once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypedDict, cast

from smriti_es.captured import Origin
from smriti_es.checked_values import Place
from smriti_es.egress import EgressPolicy, ProfileName, policy_of
from smriti_es.embedders import Embedder
from smriti_es.events.errors import InvalidInput, NotAllowed
from smriti_es.extraction.arbitration import Arbiter
from smriti_es.extraction.contract import Extractor
from smriti_es.guarded_adapters import (
    Guard,
    GuardedArbiter,
    GuardedEmbedder,
    GuardedExtractor,
    GuardedReranker,
    GuardedWriter,
)
from smriti_es.redaction import Redactor, redactor_of
from smriti_es.rerankers.reranker import Reranker
from smriti_es.roles import checked_origin
from smriti_es.screening import NO_SCREENING, Screening, ignoring

if TYPE_CHECKING:
    from smriti_es.extraction.digest_writer import DigestWriter

AdapterKind = Literal["embedder", "extractor", "arbiter", "reranker"]


class Guards(TypedDict, total=False):
    """What is kept out of a memory, what does not leave it, and whose word counts in it.

    Attributes:
        reranker: Judges the best candidates of a question and puts them in order, such as
            `SystemOneReranker`; None: nobody does. An answer is never lost to one that fails.
        redact: True: credentials are replaced before anything is stored or sent; a map adds
            patterns to the known ones. Default: False without a profile, True with one; `local` and
            `regulated` do not allow False.
        ignore: Regular expressions; a turn that one of them fits somewhere is not stored, and said
            in the result.
        profile: `local`: text is sent to this machine alone; `team`: to `allowed_hosts`, too;
            `regulated`: to those over https alone. None: to wherever an adapter sends it.
        allowed_hosts: Hosts, each as `name` or `name:port`.
        trust: Profile of trust (open, personal, regulated) with which a memory is founded, or which
            it must have; None: `personal`, or whichever it has. `change_trust` changes it.
        receipts: Record what `search` and `context` hand out, as a digest and positions, so that
            `verify_receipt` tells later which state of the log it came from. A memory that is
            opened to read only keeps none.
        origin: The most trusted origin of what is recorded here (owner, agent, tool, untrusted);
            what would be more is lowered to it, and the verbs of an owner are refused. Default:
            owner. A surface that an agent reaches opens a memory as `agent`.
        token_vectors: Keep, and compare, what the embedder makes of each word piece, where it gives
            that: finds much more, for about 3.6 KB a turn. Default: True.
    """

    redact: bool | Mapping[str, str] | None
    ignore: Sequence[str]
    profile: ProfileName | None
    allowed_hosts: Sequence[str]
    trust: str | None
    receipts: bool
    origin: Origin
    token_vectors: bool
    reranker: Reranker | None


@dataclass(frozen=True, slots=True)
class Guarding:
    """What an open memory does to text that comes in and to text that goes out.

    Attributes:
        screening: What is done to what comes in.
        guard: What stands before every adapter.
        adapters: What kind of adapter -> the one that was given, unguarded; `auto` for patterns.
        origin: The most trusted origin of what is recorded.
    """

    screening: Screening
    guard: Guard
    adapters: Mapping[AdapterKind, object]
    origin: Origin = "owner"

    def assert_owner(self) -> None:
        """Refuse a verb of an owner to whoever records as something less.

        Raises:
            NotAllowed: The memory was opened so.
        """
        if self.origin != "owner":
            raise NotAllowed(
                f"this is for the owner of the memory, which was opened as {self.origin}",
                hint="Open it without `origin` to do what an owner may.",
            )

    def check_names(self, tenant: str, space: str, actor: str) -> None:
        """Refuse a credential as the name of something that is named in the log for ever.

        Raises:
            InvalidInput: One of them holds one.
        """
        for name, place in ((tenant, "tenant"), (space, "space"), (actor, "actor")):
            self.screening.checked_name(name, Place(place))

    def embedder(self, inner: Embedder | None) -> Embedder | None:
        """Put the guard before an embedder, where it has anything to do."""
        if inner is None or not self.guard.needed_for(inner):
            return inner
        return GuardedEmbedder(inner, self.guard)

    def extractor(self, inner: Extractor) -> Extractor:
        """Put the guard before an extractor, and redact what it finds."""
        idle = self.guard.policy is None and self.guard.redactor is None
        return inner if idle else GuardedExtractor(inner, self.guard)

    def arbiter(self, inner: Arbiter) -> Arbiter:
        """Put the guard before an arbiter, where it has anything to do."""
        return GuardedArbiter(inner, self.guard) if self.guard.needed_for(inner) else inner

    def reranker(self) -> Reranker | None:
        """Give the reranker, with the guard before it where that has anything to do."""
        inner = cast("Reranker | None", self.adapters.get("reranker"))
        if inner is None or not self.guard.needed_for(inner):
            return inner
        return GuardedReranker(inner, self.guard)

    def writer(self, inner: "DigestWriter") -> "DigestWriter | GuardedWriter":
        """Put the guard before a writer of digests, where it has anything to do.

        Raises:
            EgressRefused: The profile does not allow where it would send facts.
        """
        self.guard.check("the writer", inner)
        return GuardedWriter(inner, self.guard) if self.guard.needed_for(inner) else inner


UNGUARDED: Final = Guarding(NO_SCREENING, Guard(None, None), {})


def guarding_with(
    given: Guards,
    *,
    embedder: Embedder | None,
    extractor: Extractor | Literal["auto"] | None,
    arbiter: Arbiter | None,
) -> Guarding:
    """Check what was chosen, and every adapter against it.

    Args:
        given: What `Engine.open` was told.
        embedder: The embedder, or None.
        extractor: The extractor, or None; `auto`, the patterns, stay in this process.
        arbiter: The arbiter, or None.

    Raises:
        InvalidInput: Something of it cannot be used, or cannot go together.
        EgressRefused: An adapter sends text to where the profile does not allow.
    """
    unknown = sorted(set(given) - set(Guards.__annotations__))
    if unknown:
        raise InvalidInput(
            f"Engine.open knows no {', '.join(unknown)}",
            hint=f"Beside its own arguments there are: {', '.join(Guards.__annotations__)}.",
        )
    policy = policy_of(given.get("profile"), given.get("allowed_hosts", ()))
    redactor = _redactor(given.get("redact"), policy)
    guard = Guard(policy, redactor)
    adapters: dict[AdapterKind, object] = {}
    if embedder is not None:
        adapters["embedder"] = embedder
    if extractor is not None:
        adapters["extractor"] = extractor
    if arbiter is not None:
        adapters["arbiter"] = arbiter
    if (reranker := given.get("reranker")) is not None:
        adapters["reranker"] = reranker
    for kind, adapter in adapters.items():
        if adapter != "auto":
            guard.check(f"the {kind}", adapter)
    screening = Screening(redactor, ignoring(given.get("ignore", ())))
    origin = checked_origin(given.get("origin", "owner"), Place("origin"))
    return Guarding(screening, guard, adapters, origin)


def _redactor(
    wanted: bool | Mapping[str, str] | None,  # noqa: FBT001  as it was given
    policy: EgressPolicy | None,
) -> Redactor | None:
    if wanted is None:
        return None if policy is None else Redactor()
    if wanted is False and policy is not None and policy.profile.always_redacts:
        raise InvalidInput(
            f"profile {policy.profile.name} always redacts, and redact is False",
            hint="Leave redact out, or choose another profile.",
            field="redact",
        )
    return redactor_of(wanted)
