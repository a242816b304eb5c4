"""The tables of the log, as SQLAlchemy Core sees them; alembic creates them.

`log` (a small number local to this database) is the first column of every key: no statement can
reach across logs by forgetting a condition, and rows of one log lie together.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

# 64-bit on PostgreSQL; SQLite needs plain INTEGER for a key that it numbers by itself.
BigNumber = BigInteger().with_variant(Integer(), "sqlite")

log_table = Table(
    "log",
    metadata,
    Column("log", BigNumber, primary_key=True),
    Column("log_id", String(32), nullable=False, unique=True),
    Column("tenant", String(200), nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("head", LargeBinary(32), nullable=False),
    Column("known", BigInteger, nullable=False),
    # Compact range of the tree over the leaves: 32 bytes for each bit of `size` that is set.
    Column("peaks", LargeBinary, nullable=False, server_default=""),
)

# Nodes of the tree, of every eighth level above the leaves: node (level, number) stands over the
# 2^level events from number * 2^level on.
tree_node_table = Table(
    "tree_node",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("level", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("hash", LargeBinary(32), nullable=False),
)

# What was attested: a signed note for each size and identity of the log (`origin`).
checkpoint_table = Table(
    "checkpoint",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("origin", String(100), primary_key=True),
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    Column("note", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
)

# What the log needs kept secret: under it, idempotency keys are stored as HMACs.
keyring_table = Table(
    "keyring",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("hmac_key", LargeBinary(32), nullable=False),
)

# `type` and `known` are copies of what the header says, for indexes; `verify` compares them.
event_table = Table(
    "event",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("type", String(64), nullable=False),
    Column("known", BigInteger, nullable=False),
    Column("leaf", LargeBinary(32), nullable=False),
    Column("header", LargeBinary, nullable=False),
    Index("event_by_type", "log", "type", "position"),
)

payload_table = Table(
    "payload",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("position", BigInteger, primary_key=True, autoincrement=False),
    Column("key", LargeBinary(32), nullable=False),
    Column("body", LargeBinary, nullable=False),
)

# An index of what the first payload of a commit says; `verify` compares them.
idempotency_table = Table(
    "idempotency",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("key_mac", String(64), primary_key=True),
    Column("request_mac", String(64), nullable=False),
    Column("position", BigInteger, nullable=False),
)

# One row per generation of a projection; at most one per name is active.
projection_table = Table(
    "projection",
    metadata,
    Column("log", BigNumber, primary_key=True, autoincrement=False),
    Column("name", String(64), primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("state", String(16), nullable=False),
    Column("folded", BigInteger, nullable=False),
    Column("leaf", LargeBinary(32), nullable=False),
    Column("error", String(2000), nullable=True),
    Column("detail", String(2000), nullable=True),
)
