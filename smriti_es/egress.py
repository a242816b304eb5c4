"""Where text may go: deployment profiles, and the check before anything is sent.

Whatever can send text off the machine says where in an attribute `endpoint`: an address, or None
when nothing leaves the process. It is checked when a memory is opened, and again each time it is
used; and our own HTTP client checks the address that it is about to post to, whatever was said. It
follows no redirect. A name is compared as it is written, case aside, and an address as an address:
allowing one does not allow the other, and what a name leads to is the business of the machine's
resolver. Loopback alone is looked at more closely: `localhost` must lead to this machine.
Source: design page on trust, "Secrets and egress".
"""

import ipaddress
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from smriti_es.endpoint import is_loopback
from smriti_es.events.errors import EgressRefused, InvalidInput

ProfileName = Literal["local", "team", "regulated"]
# What an adapter says that has no attribute `endpoint`.
UNDECLARED: Final = "undeclared"
_PORTS: Final = {"http": 80, "https": 443}
_HOST_HINT: Final = 'Name hosts as in "api.example.com", "api.example.com:8443" or "10.0.0.5".'


@dataclass(frozen=True, slots=True)
class DeploymentProfile:
    """What one kind of deployment allows.

    Attributes:
        name: Its name.
        names_hosts: Whether other machines may be allowed, each by its name; else loopback alone.
        needs_tls: Whether other machines are reached by https alone.
        always_redacts: Whether credentials are taken out whatever the caller wants; else they are
            unless the caller says no.
    """

    name: str
    names_hosts: bool
    needs_tls: bool
    always_redacts: bool


PROFILES: Final = {
    "local": DeploymentProfile("local", names_hosts=False, needs_tls=False, always_redacts=True),
    "team": DeploymentProfile("team", names_hosts=True, needs_tls=False, always_redacts=False),
    "regulated": DeploymentProfile(
        "regulated", names_hosts=True, needs_tls=True, always_redacts=True
    ),
}


@dataclass(frozen=True, slots=True)
class _Place:
    """A host as it is compared, and a port or None for any."""

    host: str
    port: int | None


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """A profile, and the hosts that it was given.

    Attributes:
        profile: What is allowed at all.
        hosts: The hosts, as they were written, sorted.
    """

    profile: DeploymentProfile
    hosts: tuple[str, ...] = ()

    def check(self, adapter: str, endpoint: str | None) -> None:
        """Refuse an endpoint that the profile does not allow.

        Args:
            adapter: What would send, in words.
            endpoint: Where to: an address, None for nowhere, or `undeclared`.

        Raises:
            EgressRefused: It is none of those allowed, or not declared.
        """
        if endpoint is None:
            return
        parts = urlsplit(endpoint)
        host = parts.hostname
        if endpoint == UNDECLARED or host is None:
            raise EgressRefused(
                f"profile {self.profile.name}: {adapter} does not say where it sends text",
                hint="Give it an attribute `endpoint`: its address, or None if it sends nothing.",
                profile=self.profile.name,
                endpoint=endpoint,
                host=None,
            )
        if is_loopback(host):
            return
        port = parts.port or _PORTS.get(parts.scheme)
        if not self._allows(host, port):
            raise self._refused(adapter, endpoint, host)
        if self.profile.needs_tls and parts.scheme != "https":
            raise EgressRefused(
                f"profile {self.profile.name}: {adapter} would send text to {host} unencrypted",
                hint="Give it an https address.",
                profile=self.profile.name,
                endpoint=endpoint,
                host=host,
            )

    def check_proxy(self, adapter: str, endpoint: str) -> None:
        """Refuse a proxy of the environment that would stand between, and is not allowed itself.

        Raises:
            EgressRefused: There is one.
        """
        proxy = _proxy_before(endpoint)
        host = None if proxy is None else urlsplit(proxy).hostname
        if host is not None and not is_loopback(host) and not self._allows(host, None):
            raise EgressRefused(
                f"profile {self.profile.name}: {adapter} would send text through the proxy {host}",
                hint=f'Add "{host}" to allowed_hosts, or name the endpoint in NO_PROXY.',
                profile=self.profile.name,
                endpoint=endpoint,
                host=host,
            )

    def check_resolution(self, adapter: str, endpoint: str) -> None:
        """Refuse a name of loopback that leads to another machine.

        Raises:
            EgressRefused: It does.
        """
        host = urlsplit(endpoint).hostname
        if host is None or not is_loopback(host) or _address(host) is not None:
            return
        for address in _resolved(host):
            if not is_loopback(address):
                raise EgressRefused(
                    f"profile {self.profile.name}: {adapter} would send text to {host}, which "
                    f"leads to {address}",
                    hint="Give the address 127.0.0.1, and correct the machine's list of hosts.",
                    profile=self.profile.name,
                    endpoint=endpoint,
                    host=host,
                )

    def _allows(self, host: str, port: int | None) -> bool:
        if not self.profile.names_hosts:
            return False
        form = _host_form(host)
        allowed = (_place(each) for each in self.hosts)
        return any(one.host == form and one.port in (None, port) for one in allowed)

    def _refused(self, adapter: str, endpoint: str, host: str) -> EgressRefused:
        name = self.profile.name
        if self.profile.names_hosts:
            listed = ", ".join(self.hosts) or "none"
            why = f"is not among the allowed hosts ({listed})"
            hint = f'Add "{host}" to allowed_hosts, or use an endpoint that is allowed.'
        else:
            why = "is not this machine"
            hint = f'Use an address on loopback, or profile "team" with allowed_hosts=["{host}"].'
        return EgressRefused(
            f"profile {name}: {adapter} would send text to {host}, which {why}",
            hint=hint,
            profile=name,
            endpoint=endpoint,
            host=host,
        )


_in_force: ContextVar[EgressPolicy | None] = ContextVar("smriti_es_egress", default=None)


@contextmanager
def under(policy: EgressPolicy | None) -> Iterator[None]:
    """Let a policy hold for whatever is sent inside."""
    token = _in_force.set(policy)
    try:
        yield
    finally:
        _in_force.reset(token)


def assert_may_send(adapter: str, endpoint: str, *, by_environment: bool) -> None:
    """Refuse to post to an address that the policy in force does not allow; without one, any is.

    Args:
        adapter: What sends, in words.
        endpoint: Where to.
        by_environment: Whether a proxy that the environment names would be used.

    Raises:
        EgressRefused: It is not allowed.
    """
    policy = _in_force.get()
    if policy is None:
        return
    policy.check(adapter, endpoint)
    policy.check_resolution(adapter, endpoint)
    if by_environment:
        policy.check_proxy(adapter, endpoint)


def endpoint_of(adapter: object) -> str | None:
    """Read where an adapter says that it sends text: an address, None, or `undeclared`."""
    endpoint = getattr(adapter, "endpoint", UNDECLARED)
    return endpoint if endpoint is None or isinstance(endpoint, str) else UNDECLARED


def policy_of(profile: object, allowed_hosts: object) -> EgressPolicy | None:
    """Check what `Engine.open(profile=..., allowed_hosts=...)` asks for.

    Raises:
        InvalidInput: There is no such profile, a host cannot be read, or hosts are named that the
            profile never allows.
    """
    hosts = _checked_hosts(allowed_hosts)
    if profile is None:
        if hosts:
            raise InvalidInput(
                "allowed_hosts are named without a profile, so nothing would be refused",
                hint='Give profile="team" or profile="regulated".',
                field="allowed_hosts",
            )
        return None
    found = PROFILES.get(profile) if isinstance(profile, str) else None
    if found is None:
        raise InvalidInput(
            f"there is no profile {profile!r}",
            hint=f"Give one of {', '.join(PROFILES)}, or None.",
            field="profile",
        )
    if hosts and not found.names_hosts:
        raise InvalidInput(
            f"profile {found.name} allows this machine alone, and hosts are named",
            hint='Leave allowed_hosts out, or give profile="team".',
            field="allowed_hosts",
        )
    return EgressPolicy(found, hosts)


def _checked_hosts(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidInput(
            f"allowed_hosts is of type {type(given).__name__}",
            hint="Give a list of hosts.",
            field="allowed_hosts",
        )
    for each in given:
        if not isinstance(each, str) or not _is_host(each):
            raise InvalidInput(
                f"allowed_hosts: {each!r} is no host", hint=_HOST_HINT, field="allowed_hosts"
            )
    return tuple(sorted(set(given)))


def _is_host(written: str) -> bool:
    if not written or any(mark in written for mark in "/@?#* \t\r\n"):
        return False
    try:
        return bool(_place(written).host)
    except ValueError:
        return False


def _place(written: str) -> _Place:
    if _address(written) is not None:
        return _Place(_host_form(written), None)
    parts = urlsplit(f"//{written}")
    return _Place(_host_form(parts.hostname or ""), parts.port)


def _host_form(host: str) -> str:
    """Bring a host into the form in which it is compared."""
    address = _address(host)
    if address is not None:
        return str(address)
    name = host.rstrip(".").lower()
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def _resolved(host: str) -> list[str]:
    """Give the addresses of a name; none where it leads nowhere, and nothing can be sent."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [str(each[4][0]).partition("%")[0] for each in found]


def _proxy_before(endpoint: str) -> str | None:
    """Give the proxy that the environment names for an endpoint, if any."""
    from urllib.request import getproxies, proxy_bypass  # slow to import

    parts = urlsplit(endpoint)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"
