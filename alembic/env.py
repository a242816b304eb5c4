"""How alembic reaches a memory's database: on a connection handed in, or by its URL."""

from alembic import context
from sqlalchemy import Connection, create_engine

from smriti_es.events.locations import names_server
from smriti_es.events.opening import open_database
from smriti_es.events.tables import metadata

VERSION_TABLE = "smriti_es_schema"


def run(connection: Connection) -> None:
    """Run the migrations on an open connection."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=VERSION_TABLE,
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()


handed_in = context.config.attributes.get("connection")
if handed_in is not None:
    run(handed_in)
else:
    # From the command line: `alembic -x url=sqlite:///memory.db upgrade head`.
    url = context.get_x_argument(as_dictionary=True)["url"]
    # Text columns of a server are made in our dialect, which compares them by code point.
    opening = open_database(url).creating() if names_server(url) else create_engine(url).begin()
    with opening as opened:
        run(opened)
