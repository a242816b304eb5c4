"""The Merkle tree of each log, and the checkpoints that attest it."""

import sqlalchemy as sa
from alembic import op

from smriti_es.events.stored_tree import build_trees

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("log", sa.Column("peaks", sa.LargeBinary, nullable=False, server_default=""))
    op.create_table(
        "tree_node",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("level", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
    )
    op.create_table(
        "checkpoint",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("origin", sa.String(100), primary_key=True),
        sa.Column("size", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
    )
    build_trees(op.get_bind())


def downgrade() -> None:
    op.drop_table("checkpoint")
    op.drop_table("tree_node")
    op.drop_column("log", "peaks")
