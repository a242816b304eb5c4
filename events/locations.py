"""What a location names, told by its form."""

from typing import Final

SERVER_SCHEMES: Final = ("postgresql", "postgresql+psycopg")


def names_server(location: str) -> bool:
    """Tell whether a location is the URL of a server's database, and no path of a file."""
    scheme, mark, _ = location.partition("://")
    return bool(mark) and scheme in SERVER_SCHEMES
