"""Where text may go: each profile, host by host, when a memory is opened and when text is sent."""

from typing import Any

import pytest

from smriti_es import egress
from smriti_es.egress import UNDECLARED, assert_may_send, endpoint_of, policy_of, under
from smriti_es.events.errors import EgressRefused, InvalidInput

HERE = [
    "http://localhost:11434/v1",
    "http://LOCALHOST./v1",
    "https://model.localhost/v1",
    "http://127.0.0.1:8080",
    "http://127.8.9.10",
    "http://[::1]:11434/v1",
]
ELSEWHERE = [
    "https://api.example.com/v1",
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://10.0.0.5:8080",
    "http://0.0.0.0:8080",
    "http://127.1",
    "http://2130706433",
    "http://[2001:db8::1]",
    "http://[::ffff:10.0.0.5]",
    "http://127.0.0.1.example.com",
]
HOSTS = [
    "api.example.com",
    "GPU-Box.example:8443",
    "10.0.0.5",
    "[2001:db8::1]:8080",
    "bücher.example",
]


def policy(profile: str, *hosts: str) -> Any:
    return policy_of(profile, hosts)


@pytest.mark.parametrize("profile", ["local", "team", "regulated"])
@pytest.mark.parametrize("endpoint", [*HERE, None])
def test_every_profile_allows_this_machine(profile: str, endpoint: str | None) -> None:
    policy(profile).check("the embedder", endpoint)


@pytest.mark.parametrize("profile", ["local", "team", "regulated"])
@pytest.mark.parametrize("endpoint", ELSEWHERE)
def test_no_profile_allows_another_machine_by_itself(profile: str, endpoint: str) -> None:
    with pytest.raises(EgressRefused):
        policy(profile).check("the embedder", endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://api.example.com/v1",
        "https://API.Example.com.:9999/v1",
        "https://gpu-box.example:8443",
        "https://10.0.0.5:1234",
        "https://[2001:db8:0::1]:8080/v1",
        "https://xn--bcher-kva.example",
        "https://bücher.example",
    ],
)
@pytest.mark.parametrize("profile", ["team", "regulated"])
def test_a_host_on_the_list_is_allowed_in_any_spelling(profile: str, endpoint: str) -> None:
    policy(profile, *HOSTS).check("the embedder", endpoint)


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://gpu-box.example",
        "https://gpu-box.example:9443",
        "https://[2001:db8::1]:8081",
        "https://sub.api.example.com",
        "https://example.com",
        "https://api.example.com.evil.example",
        "https://api.example.com@evil.example/v1",
        "https://10.0.0.50",
    ],
)
def test_a_host_or_port_beside_the_list_is_refused(endpoint: str) -> None:
    with pytest.raises(EgressRefused):
        policy("team", *HOSTS).check("the embedder", endpoint)


def test_a_name_on_the_list_does_not_allow_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "_resolved", lambda _: ["10.9.9.9"])
    with pytest.raises(EgressRefused):
        policy("team", "api.example.com").check("the embedder", "https://10.9.9.9")


def test_a_team_may_reach_its_hosts_without_tls() -> None:
    policy("team", "gpu-box").check("the embedder", "http://gpu-box:8000")


def test_a_regulated_deployment_reaches_its_hosts_by_https_alone() -> None:
    with pytest.raises(EgressRefused, match="to gpu-box unencrypted") as refused:
        policy("regulated", "gpu-box").check("the embedder", "http://gpu-box:8000")
    assert refused.value.hint == "Give it an https address."


@pytest.mark.parametrize(
    ("profile", "hosts", "told", "hint"),
    [
        (
            "local",
            (),
            "profile local: the model would send text to api.example.com, which is not this "
            "machine",
            'Use an address on loopback, or profile "team" with allowed_hosts=["api.example.com"].',
        ),
        (
            "team",
            ("b.example", "a.example"),
            "profile team: the model would send text to api.example.com, which is not among the "
            "allowed hosts (a.example, b.example)",
            'Add "api.example.com" to allowed_hosts, or use an endpoint that is allowed.',
        ),
        (
            "regulated",
            (),
            "profile regulated: the model would send text to api.example.com, which is not among "
            "the allowed hosts (none)",
            'Add "api.example.com" to allowed_hosts, or use an endpoint that is allowed.',
        ),
    ],
)
def test_a_refusal_names_profile_and_host_and_says_what_to_do(
    profile: str, hosts: tuple[str, ...], told: str, hint: str
) -> None:
    with pytest.raises(EgressRefused) as refused:
        policy(profile, *hosts).check("the model", "https://api.example.com/v1")
    assert (str(refused.value), refused.value.hint) == (told, hint)
    assert (refused.value.profile, refused.value.host) == (profile, "api.example.com")


def test_what_does_not_say_where_it_sends_text_is_refused() -> None:
    with pytest.raises(EgressRefused, match="the embedder does not say where") as refused:
        policy("team", "api.example.com").check("the embedder", UNDECLARED)
    assert "`endpoint`" in refused.value.hint


class Named:
    def __init__(self, endpoint: Any) -> None:
        self.endpoint = endpoint


@pytest.mark.parametrize(
    ("adapter", "endpoint"),
    [
        (Named(None), None),
        (Named("http://gpu-box"), "http://gpu-box"),
        (Named(5), UNDECLARED),
        (object(), UNDECLARED),
    ],
)
def test_an_adapter_is_asked_where_it_sends_text(adapter: object, endpoint: str | None) -> None:
    assert endpoint_of(adapter) == endpoint


def test_without_a_policy_in_force_anything_may_be_sent() -> None:
    assert_may_send("the model", "https://api.example.com", by_environment=True)


def test_a_policy_holds_for_what_is_sent_while_it_is_in_force() -> None:
    with under(policy("local")), pytest.raises(EgressRefused):
        assert_may_send("the model", "https://api.example.com", by_environment=True)
    assert_may_send("the model", "https://api.example.com", by_environment=True)


def test_a_localhost_that_leads_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "_resolved", lambda _: ["127.0.0.1", "10.0.0.5"])
    with under(policy("local")), pytest.raises(EgressRefused, match=r"which leads to 10\.0\.0\.5"):
        assert_may_send("the model", "http://localhost:11434", by_environment=True)


def test_a_localhost_that_leads_to_loopback_may_be_sent_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(egress, "_resolved", lambda _: ["127.0.0.1", "::1"])
    with under(policy("local")):
        assert_may_send("the model", "http://localhost:11434", by_environment=True)


@pytest.mark.parametrize("proxy", ["http://proxy.example:3128", "proxy.example:3128"])
def test_a_proxy_of_the_environment_must_be_allowed_itself(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    told = "through the proxy proxy.example"
    with under(policy("team", "api.example.com")), pytest.raises(EgressRefused, match=told):
        assert_may_send("the model", "https://api.example.com", by_environment=True)
    with under(policy("team", "api.example.com", "proxy.example")):
        assert_may_send("the model", "https://api.example.com", by_environment=True)


def test_a_host_that_the_proxy_is_not_used_for_needs_no_leave_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "api.example.com")
    with under(policy("team", "api.example.com")):
        assert_may_send("the model", "https://api.example.com", by_environment=True)


def test_a_callers_own_client_has_its_own_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")
    with under(policy("team", "api.example.com")):
        assert_may_send("the model", "https://api.example.com", by_environment=False)


@pytest.mark.parametrize(
    ("profile", "hosts", "told"),
    [
        ("cloud", (), "there is no profile 'cloud'"),
        (7, (), "there is no profile 7"),
        (None, ("a.example",), "allowed_hosts are named without a profile"),
        ("local", ("a.example",), "profile local allows this machine alone"),
        ("team", "a.example", "allowed_hosts is of type str"),
        ("team", ("https://a.example",), "allowed_hosts: 'https://a.example' is no host"),
        ("team", ("a.example/v1",), "is no host"),
        ("team", ("*.example",), "is no host"),
        ("team", ("",), "is no host"),
        ("team", ("a.example:port",), "is no host"),
        ("team", (5,), "is no host"),
    ],
)
def test_what_cannot_be_a_policy_is_refused(profile: Any, hosts: Any, told: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        policy_of(profile, hosts)
    assert told in str(refused.value)
