"""A base URL is read once; its secrets never come out in a message."""

import pytest

from smriti_es.endpoint import parse_endpoint
from smriti_es.events.errors import InvalidInput


@pytest.mark.parametrize(
    ("base_url", "path", "expected"),
    [
        ("http://localhost:11434", "/api/embed", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/", "/api/embed", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/api", "/api/embed", "http://localhost:11434/api/embed"),
        ("http://localhost:11434/api/embed", "/api/embed", "http://localhost:11434/api/embed"),
        ("https://a.example", "/v1/embeddings", "https://a.example/v1/embeddings"),
        ("https://a.example/v1/", "/v1/embeddings", "https://a.example/v1/embeddings"),
        ("https://a.example/x/v1", "/v1/embeddings", "https://a.example/x/v1/embeddings"),
        (
            "https://a.example/x/v1/embeddings",
            "/v1/embeddings",
            "https://a.example/x/v1/embeddings",
        ),
        ("https://a.example/apiv1", "/v1/embeddings", "https://a.example/apiv1/v1/embeddings"),
        ("http://[::1]:8080/v1", "/v1/embeddings", "http://[::1]:8080/v1/embeddings"),
        (" https://a.example \n", "/api/embed", "https://a.example/api/embed"),
    ],
)
def test_the_path_is_added_once(base_url: str, path: str, expected: str) -> None:
    assert parse_endpoint(base_url, path, api_key=None).url == expected


def test_the_query_is_sent_but_not_shown() -> None:
    endpoint = parse_endpoint("https://a.example/v1?key=abc#part", "/v1/embeddings", api_key=None)
    assert endpoint.url == "https://a.example/v1/embeddings?key=abc"
    assert endpoint.shown == "https://a.example/v1/embeddings"


def test_user_and_password_become_basic_authentication() -> None:
    endpoint = parse_endpoint("https://ada:p%40ss@a.example", "/x", api_key=None)
    assert endpoint.authorization == "Basic YWRhOnBAc3M="  # ada:p@ss
    assert endpoint.url == "https://a.example/x"


def test_a_key_goes_before_user_and_password() -> None:
    endpoint = parse_endpoint("https://ada:pass@a.example", "/x", api_key="sk-1")
    assert endpoint.authorization == "Bearer sk-1"


def test_neither_repr_nor_redacted_text_holds_a_secret() -> None:
    endpoint = parse_endpoint("https://ada:p%40ss@a.example?code=q-key", "/x", api_key="sk-1")
    shown = repr(endpoint) + endpoint.redacted("ada p@ss p%40ss q-key sk-1")
    assert [one for one in ("ada", "p@ss", "p%40ss", "q-key", "sk-1") if one in shown] == []


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:11434", True),
        ("http://LOCALHOST", True),
        ("http://models.localhost", True),
        ("http://127.0.0.1", True),
        ("http://127.8.9.1:80", True),
        ("http://[::1]:11434", True),
        ("http://192.168.0.4", False),
        ("https://localhost.example.com", False),
        ("https://127.0.0.1.example.com", False),
    ],
)
def test_loopback_is_told_from_the_network(url: str, loopback: bool) -> None:
    assert parse_endpoint(url, "/x", api_key=None).is_loopback is loopback


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "a.example",
        "ftp://s3cret@a.example",
        "https://",
        "http://s3cret@a:port",
        "http://[s3cret",
    ],
)
def test_what_is_no_url_is_refused_without_being_repeated(base_url: str) -> None:
    with pytest.raises(InvalidInput, match="no http or https URL") as caught:
        parse_endpoint(base_url, "/x", api_key=None)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("key", ["", "s3cret\n", "s3 cret", "s3cret…"])
def test_a_key_that_no_header_may_hold_is_refused_without_being_repeated(key: str) -> None:
    with pytest.raises(InvalidInput, match="API key") as caught:
        parse_endpoint("https://a.example", "/x", api_key=key)
    assert "s3" not in str(caught.value)
