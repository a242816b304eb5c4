"""What is mutated, and the tests that should notice: folders and files below `tests/`."""

from typing import Final

_AUDIT: Final = (
    "events/audit/test_agreement.py",
    "events/audit/test_attacks.py",
    "events/audit/test_chain_of_a_bundle.py",
    "events/audit/test_gaps.py",
    "events/audit/test_header_forms.py",
    "events/audit/test_note_forms.py",
    "events/audit/test_what_holds.py",
)

TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "events/header.py": (
        "events/test_header.py",
        "events/test_header_fields.py",
        "properties/test_header_properties.py",
    ),
    "events/commitment.py": ("events/test_commitment.py", "golden"),
    "events/chain.py": ("events/test_chain.py", "golden"),
    "events/merkle_tree.py": ("events/test_merkle_tree.py", "events/test_stored_tree.py"),
    "events/proofs.py": ("events/test_proofs.py",),
    "events/signed_note.py": ("events/test_signed_note.py", "events/test_proofs.py"),
    "events/checkpoint.py": ("events/test_checkpoint.py", "events/test_proofs.py"),
    "events/ed25519.py": ("events/test_signed_note.py", "events/test_proofs.py"),
    "events/verification.py": (
        "events/test_tree_verification.py",
        "events/test_verification.py",
        "events/test_verification_forged.py",
        "events/test_verification_rows.py",
        "events/test_newer_events.py",
        "events/test_stored_tree.py",
        "events/test_erasure.py",
        "events/test_damaged_pages.py",
        "smriti_es/attesting/test_verifying_checkpoints.py",
    ),
    "events/tree_verification.py": (
        "events/test_tree_verification.py",
        "events/test_stored_tree.py",
        "events/test_verification.py",
        "events/test_verification_forged.py",
        "smriti_es/attesting/test_verifying_checkpoints.py",
    ),
    "events/audit/bundle_chain.py": _AUDIT,
    "events/audit/verify_bundle.py": (
        "events/audit/test_verifier_parts.py",
        "events/audit/test_verifier_answers.py",
        "events/audit/test_verifier_alone.py",
        *_AUDIT,
    ),
}
