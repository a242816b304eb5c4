"""A database on a server is a place that text is sent to, too, and falls under the profile."""

import os
from typing import Final
from urllib.parse import parse_qs, urlsplit

from smriti_es.egress import UNDECLARED, EgressPolicy
from smriti_es.events.locations import names_server

_PORT: Final = "5432"
# With these libpq sends nothing unencrypted.
_ENCRYPTED: Final = frozenset({"require", "verify-ca", "verify-full"})


def check_database(policy: EgressPolicy | None, location: str) -> None:
    """Refuse a server that the profile does not allow.

    Args:
        policy: The profile in force, or None.
        location: Where the memory lies.

    Raises:
        EgressRefused: It is on another machine than those allowed, or reached without TLS where the
            profile wants that; or its address is in a service file.
    """
    if policy is not None and names_server(location):
        for endpoint in _endpoints(location):
            policy.check("the database", endpoint)


def _endpoints(location: str) -> list[str | None]:
    """Give the addresses that libpq would try; None for a socket of this machine."""
    parts = urlsplit(location)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if "service" in query or "PGSERVICE" in os.environ:
        return [UNDECLARED]
    given = query.get("hostaddr") or query.get("host") or parts.hostname
    hosts = (given or os.environ.get("PGHOSTADDR") or os.environ.get("PGHOST") or "").split(",")
    port = parts.port or query.get("port") or os.environ.get("PGPORT") or _PORT
    mode = query.get("sslmode") or os.environ.get("PGSSLMODE")
    scheme = "https" if mode in _ENCRYPTED else "postgresql"
    return [
        None if not host or host.startswith("/") else f"{scheme}://{_bracketed(host)}:{port}"
        for host in (each.rpartition(":")[0] if each.count(":") == 1 else each for each in hosts)
    ]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
