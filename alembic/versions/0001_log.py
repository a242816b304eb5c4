"""The log: registry and heads, events, payloads, keys, idempotency, projection pointers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "log",
        sa.Column("log", _NUMBER, primary_key=True),
        sa.Column("log_id", sa.String(32), nullable=False, unique=True),
        sa.Column("tenant", sa.String(200), nullable=False, unique=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("head", sa.LargeBinary(32), nullable=False),
        sa.Column("known", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "keyring",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("hmac_key", sa.LargeBinary(32), nullable=False),
    )
    op.create_table(
        "event",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("type", sa.String(64), nullable=False),
        sa.Column("known", sa.BigInteger, nullable=False),
        sa.Column("leaf", sa.LargeBinary(32), nullable=False),
        sa.Column("header", sa.LargeBinary, nullable=False),
    )
    op.create_index("event_by_type", "event", ["log", "type", "position"])
    op.create_table(
        "payload",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.LargeBinary(32), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        # Uncompressed, so that a search of the server's files after an erasure sees what is there.
        op.execute("ALTER TABLE payload ALTER COLUMN body SET STORAGE EXTERNAL")
    op.create_table(
        "idempotency",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("key_mac", sa.String(64), primary_key=True),
        sa.Column("request_mac", sa.String(64), nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "projection",
        sa.Column("log", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("folded", sa.BigInteger, nullable=False),
        sa.Column("leaf", sa.LargeBinary(32), nullable=False),
        sa.Column("error", sa.String(2000), nullable=True),
        sa.Column("detail", sa.String(2000), nullable=True),
    )


def downgrade() -> None:
    for table in ("projection", "idempotency", "payload", "event", "keyring", "log"):
        op.drop_table(table)
