"""What ties the events of a bundle to what was signed: the newest checkpoint, and proofs."""

from sqlalchemy import Connection

from smriti_es.events.audit.layout import CHECKPOINT, CONSISTENCY, INCLUSION
from smriti_es.events.checkpoint import Checkpoint, log_id_of
from smriti_es.events.checkpoint_store import newest_checkpoint
from smriti_es.events.errors import InvalidInput
from smriti_es.events.log import EventLog
from smriti_es.events.log_keys import origin_in_force
from smriti_es.events.merkle_tree import consistency_proof, inclusion_proof
from smriti_es.events.proofs import ConsistencyProof, InclusionProof
from smriti_es.events.stored_tree import StoredTree


def evidence_for(
    connection: Connection, log: EventLog, first: int, stop: int, since: Checkpoint | None
) -> dict[str, bytes]:
    """Give the small files by which a bundle is compared with what was signed.

    Who has all events up to a checkpoint makes its tree anew. Elsewhere one proof of the last event
    is enough: each header holds the hash of the one before.

    Args:
        connection: The snapshot that the bundle is made of.
        log: The log.
        first: Position of its first event.
        stop: The position after its last.
        since: An older checkpoint that whoever receives the bundle has.

    Returns:
        Contents by name; nothing where no checkpoint reaches to the end of a stretch.

    Raises:
        InvalidInput: `since` is of another log, or nothing that was signed leads on from it.
    """
    newest = newest_checkpoint(
        connection, log.log, origin_in_force(connection, log.log, log.log_id)
    )
    begins_within = first > 0
    if newest is not None and begins_within and newest.size < stop:
        newest = None
    if newest is None:
        if since is not None:
            raise _no_way_from(since)
        return {}
    tree, evidence = StoredTree(connection, log.log), {CHECKPOINT: str(newest).encode()}
    if begins_within or newest.size > stop:
        hashes = inclusion_proof(stop - 1, newest.size, tree.subtree)
        evidence[INCLUSION] = str(InclusionProof(stop - 1, tuple(hashes), newest)).encode()
    if since is not None:
        if log_id_of(since.origin) != log.log_id or since.size > max(newest.size, stop):
            raise _no_way_from(since)
        if begins_within or since.size > stop:
            hashes = consistency_proof(since.size, newest.size, tree.subtree)
            proof = ConsistencyProof(since.size, tuple(hashes), newest)
            evidence[CONSISTENCY] = str(proof).encode()
    return evidence


def _no_way_from(since: Checkpoint) -> InvalidInput:
    return InvalidInput(
        f"nothing that was signed of these events leads on from the checkpoint of {since.size}",
        hint="Sign the log first: `smriti-es log checkpoint`.",
        field="since",
    )
