"""An address to send texts to, held apart from the secrets that came with it."""

import base64
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from smriti_es.events.errors import InvalidInput

_URL_HINT = "Give it like http://localhost:11434 or https://api.example.com/v1."


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to post to.

    Attributes:
        url: The address with its query, without user and password.
        shown: The address as messages may show it: without query, user and password.
        host: The host alone, IPv6 without brackets.
        authorization: The value of the Authorization header; "" for none.
        secrets: Whatever must not appear in a message.
    """

    url: str = field(repr=False)
    shown: str
    host: str
    authorization: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @property
    def is_loopback(self) -> bool:
        """True when what is sent stays on this machine."""
        return is_loopback(self.host)

    def redacted(self, foreign: str) -> str:
        """Replace every secret in text that somebody else wrote."""
        for secret in self.secrets:
            foreign = foreign.replace(secret, "***")
        return foreign


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine: an address of loopback, or `localhost` and below."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        name = host.lower().rstrip(".")
        return name == "localhost" or name.endswith(".localhost")


def parse_endpoint(base_url: str, path: str, *, api_key: str | None) -> Endpoint:
    """Read a base URL, add a path to it, and set the secrets apart.

    Args:
        base_url: http or https; user and password in it become Basic authentication, unless a key
            is given.
        path: What to add, less the parts that the base URL already ends with.
        api_key: Sent as a bearer token; None sends none.

    Returns:
        The endpoint.

    Raises:
        InvalidInput: It is no such URL, or the key cannot stand in a header; the message shows
            neither.
    """
    try:
        parts = urlsplit(base_url.strip())
        host, user, password = parts.hostname, parts.username or "", parts.password or ""
        _ = parts.port  # raises when it is no number
    except ValueError:
        host = None  # the error's own text would repeat the password
    if not host or parts.scheme not in ("http", "https"):
        raise InvalidInput("the base URL is no http or https URL", hint=_URL_HINT, field="base_url")
    place = (parts.scheme, parts.netloc.rpartition("@")[2], _joined(parts.path, path))
    credentials = f"{unquote(user)}:{unquote(password)}" if user or password else ""
    queried = [value for _, value in parse_qsl(parts.query)]
    secrets = (api_key or "", user, password, unquote(user), unquote(password), *queried)
    return Endpoint(
        url=urlunsplit((*place, parts.query, "")),
        shown=urlunsplit((*place, "", "")),
        host=host,
        authorization=_authorization(api_key, credentials),
        secrets=tuple(secret for secret in secrets if secret),
    )


def _joined(path: str, addition: str) -> str:
    """Join two paths; `/v1` and `/v1/embeddings` give `/v1/embeddings`."""
    base, added = path.rstrip("/"), addition.strip("/").split("/")
    for count in range(len(added), 0, -1):
        if f"{base}/".endswith(f"/{'/'.join(added[:count])}/"):
            added = added[count:]
            break
    return "/".join([base, *added])


def _authorization(api_key: str | None, credentials: str) -> str:
    if api_key is None:
        encoded = base64.b64encode(credentials.encode("utf-8")).decode("ascii")
        return f"Basic {encoded}" if credentials else ""
    if not api_key or not api_key.isascii() or not api_key.isprintable() or " " in api_key:
        raise InvalidInput(
            "the API key is empty or holds a character that no header may hold",
            hint="Look for a line end or a blank that was copied along with it.",
            field="api_key",
        )
    return f"Bearer {api_key}"
