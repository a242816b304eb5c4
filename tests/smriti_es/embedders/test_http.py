"""A model behind HTTP, against a real server on loopback that misbehaves on purpose."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from smriti_es.embedders import Embedder, HttpEmbedder, embed_checked
from smriti_es.events.errors import EmbedderError, InvalidInput
from smriti_es.events.guard import CallInsideTransaction, transaction_open

NAN = float("nan")


def answer(status: int, body: bytes, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def act(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return act


def vectors(*rows: Any) -> Callable[[BaseHTTPRequestHandler], None]:
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return answer(200, json.dumps({"data": data}).encode())


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.close()


@pytest.fixture
def waits() -> list[float]:
    """How long the embedder would have slept."""
    return []


@pytest.fixture
def connect(loopback: Any, waits: list[float]) -> Iterator[Callable[..., HttpEmbedder]]:
    """Make embedders that ask the service, and close them afterwards."""
    opened: list[HttpEmbedder] = []

    def make(**options: Any) -> HttpEmbedder:
        options = {"base_url": loopback.address, "sleep": waits.append, **options}
        opened.append(HttpEmbedder(model="small", **options))
        return opened[-1]

    yield make
    for embedder in opened:
        embedder.close()


Connect = Callable[..., HttpEmbedder]


def test_vectors_come_back_at_unit_length_in_text_order(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([3, 4], [0, -2])]
    found = connect().embed(["a", "b"])
    assert found.dtype == np.float32
    assert found.tolist() == [pytest.approx([0.6, 0.8]), [0.0, -1.0]]


def test_the_request_is_what_an_openai_service_expects(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0], [0, 1])]
    connect(api_key="sk-secret").embed(["a", ""])
    path, headers, body = loopback.requests[0]
    assert path == "/v1/embeddings"
    assert headers["Authorization"] == "Bearer sk-secret"
    assert headers["User-Agent"].startswith("smriti-es/")
    assert body == {"model": "small", "input": ["a", " "]}


def test_ollama_is_asked_in_its_own_words(loopback: Any, connect: Connect) -> None:
    loopback.answers = [answer(200, b'{"embeddings": [[1, 0], [0, 1]]}')]
    assert connect(api="ollama").embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]
    path, headers, body = loopback.requests[0]
    assert (path, body) == ("/api/embed", {"model": "small", "input": ["a", "b"]})
    assert "Authorization" not in headers


def test_answers_out_of_order_are_sorted_by_their_index(loopback: Any, connect: Connect) -> None:
    rows = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    loopback.answers = [answer(200, json.dumps({"data": rows}).encode())]
    assert connect().embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("index", [0, 2, "x", None, [1]])
def test_answers_that_are_numbered_wrongly_are_refused(
    loopback: Any, connect: Connect, index: object
) -> None:
    rows = [{"index": 0, "embedding": [0, 1]}, {"index": index, "embedding": [1, 0]}]
    loopback.answers = [answer(200, json.dumps({"data": rows}).encode())]
    with pytest.raises(EmbedderError, match="numbers its vectors otherwise than 0 to 1"):
        connect().embed(["a", "b"])


def test_many_texts_are_sent_in_batches(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0], [0, 1]), vectors([3, 4], [1, 0]), vectors([0, 1])]
    found = connect(batch_size=2).embed(list("abcde"))
    assert [body["input"] for _, _, body in loopback.requests] == [["a", "b"], ["c", "d"], ["e"]]
    assert found.shape == (5, 2)
    assert found[2].tolist() == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (vectors([1, 0]), "the embedder returned 1 vectors for 2 texts"),
        (vectors([1, 0], [1, 0], [1, 0]), "the embedder returned 3 vectors for 2 texts"),
        (vectors([1, 0], None), "the embedder's vector for text 1 is null"),
        (vectors([1, 0], [NAN, 0]), "the embedder's vector for text 1 holds a number that is not"),
        (vectors([1, 0], [1]), "the embedder returned vectors of 1 and 2 dimensions"),
        (vectors([1, 0], "AACAPw=="), "the embedder's vector for text 1 is no list of numbers"),
        (answer(200, b'{"embeddings": [[1]]}'), "the embedder's answer has no list `data`"),
        (answer(200, b"[]"), "the embedder's answer has no list `data`"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_without_another_request(
    loopback: Any, connect: Connect, reply: Any, message: str
) -> None:
    loopback.answers = [reply]
    with pytest.raises(EmbedderError) as caught:
        connect().embed(["a", "b"])
    assert str(caught.value).startswith(message)
    assert not caught.value.retryable
    assert len(loopback.requests) == 1


def test_an_ollama_answer_without_vectors_is_refused(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0])]
    with pytest.raises(EmbedderError, match="has no list `embeddings`") as caught:
        connect(api="ollama").embed(["a"])
    assert "`api`" in caught.value.hint


def test_a_dimension_that_changes_between_calls_names_both(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0]), vectors([1, 0, 0])]
    embedder = connect()
    embedder.embed(["a"])
    with pytest.raises(EmbedderError, match="vectors of 3 dimensions, expected 2"):
        embedder.embed(["b"])


def test_a_dimension_that_was_configured_wrongly_names_both_and_what_to_do(
    loopback: Any, connect: Connect
) -> None:
    loopback.answers = [vectors([0] * 15 + [1])]
    with pytest.raises(EmbedderError, match="16 dimensions, expected 1536") as caught:
        embed_checked(connect(dimension=1536), ["a"])
    assert "Correct the configured dimension" in caught.value.hint


def test_an_unknown_dimension_is_asked_for_once(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0, 0])]
    embedder: Embedder = connect()
    assert embedder.identity.dimension == 3
    assert embedder.identity.dimension == 3
    assert len(loopback.requests) == 1


def test_the_first_answer_tells_the_dimension_without_a_probe(
    loopback: Any, connect: Connect
) -> None:
    loopback.answers = [vectors([1, 0, 0])]
    embedder = connect()
    embed_checked(embedder, ["a"])
    assert embedder.identity.dimension == 3
    assert len(loopback.requests) == 1


def test_500s_and_then_an_answer_take_three_requests(
    loopback: Any, connect: Connect, waits: list[float]
) -> None:
    loopback.answers = [answer(500, b""), answer(503, b"busy"), vectors([1, 0])]
    assert connect().embed(["a"]).tolist() == [[1, 0]]
    assert len(loopback.requests) == 3
    assert waits == [0.5, 1.0]


def test_429_waits_as_long_as_the_service_says(
    loopback: Any, connect: Connect, waits: list[float]
) -> None:
    loopback.answers = [answer(429, b"", Retry_After="7"), vectors([1, 0])]
    connect().embed(["a"])
    assert waits == [7.0]


def test_401_is_asked_once_and_repeats_nothing_of_the_key(loopback: Any, connect: Connect) -> None:
    loopback.answers = [answer(401, b'{"error": {"message": "Incorrect key sk-sec***"}}')]
    with pytest.raises(EmbedderError, match="answered 401") as caught:
        connect(api_key="sk-secret").embed(["a"])
    assert "sk-sec" not in str(caught.value)
    assert (caught.value.status, caught.value.attempts) == (401, 1)
    assert not caught.value.retryable
    assert len(loopback.requests) == 1


def test_a_time_out_is_tried_again(loopback: Any, connect: Connect, waits: list[float]) -> None:
    loopback.answers = [loopback.hesitate, vectors([1, 0])]
    assert connect(timeout_s=0.2).embed(["a"]).tolist() == [[1, 0]]
    assert waits == [0.5]


def test_a_service_that_stays_slow_is_an_outage(loopback: Any, connect: Connect) -> None:
    loopback.answers = [loopback.hesitate]
    with pytest.raises(EmbedderError, match=r"did not answer in time .* \(2 attempts\)") as caught:
        connect(timeout_s=0.1, retries=1).embed(["a"])
    assert caught.value.retryable


def test_a_connection_that_breaks_is_tried_again(loopback: Any, connect: Connect) -> None:
    loopback.answers = [hang_up, hang_up, vectors([1, 0])]
    assert connect().embed(["a"]).tolist() == [[1, 0]]


def test_a_service_that_is_gone_is_an_outage_after_three_attempts(
    loopback: Any, connect: Connect, waits: list[float]
) -> None:
    embedder = connect()
    loopback.stop()
    with pytest.raises(EmbedderError, match=r"ConnectError: .* \(3 attempts\)") as caught:
        embedder.embed(["a"])
    assert caught.value.retryable
    assert caught.value.attempts == 3
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b'{"data": [', b"\xff\xfe\x00"])
def test_malformed_json_is_asked_once(loopback: Any, connect: Connect, body: bytes) -> None:
    loopback.answers = [answer(200, body)]
    with pytest.raises(EmbedderError, match="something that is no JSON") as caught:
        connect().embed(["a"])
    assert not caught.value.retryable
    assert len(loopback.requests) == 1


def test_tls_to_a_service_without_tls_is_asked_once(
    loopback: Any, connect: Connect, waits: list[float]
) -> None:
    with pytest.raises(EmbedderError, match="failed the TLS check") as caught:
        connect(base_url=loopback.address.replace("http:", "https:")).embed(["a"])
    assert caught.value.attempts == 1
    assert not caught.value.retryable
    assert waits == []


def test_secrets_of_the_url_are_used_but_never_shown(loopback: Any, connect: Connect) -> None:
    echo = b'{"error": "no such model for ada with p@ss and q-key"}'
    loopback.answers = [answer(404, echo)]
    address = loopback.address.replace("//", "//ada:p%40ss@") + "?code=q-key"
    embedder = connect(base_url=address, dimension=2)
    with pytest.raises(EmbedderError, match="no such model") as caught:
        embedder.embed(["a"])
    path, headers, _ = loopback.requests[0]
    assert path == "/v1/embeddings?code=q-key"
    assert headers["Authorization"] == "Basic YWRhOnBAc3M="  # ada:p@ss
    shown = (
        f"{caught.value} {caught.value.hint} {embedder!r} {embedder.identity} {embedder.endpoint}"
    )
    assert [secret for secret in ("ada", "p@ss", "p%40ss", "q-key") if secret in shown] == []


def test_the_identity_names_neither_endpoint_nor_key(loopback: Any, connect: Connect) -> None:
    identity = connect(api_key="sk-secret", dimension=2).identity
    assert identity == HttpEmbedder("https://elsewhere.example", "small", dimension=2).identity
    assert identity.to_dict() == {
        "kind": "http",
        "model": "small",
        "revision": "",
        "dimension": 2,
        "pooling": "model",
        "normalised": True,
        "max_tokens": 0,
    }


def test_a_closed_embedder_opens_new_connections(loopback: Any, connect: Connect) -> None:
    loopback.answers = [vectors([1, 0])]
    with connect() as embedder:
        embedder.embed(["a"])
    assert embedder.embed(["b"]).tolist() == [[1, 0]]


def test_no_texts_need_no_request_once_the_dimension_is_known(
    loopback: Any, connect: Connect
) -> None:
    assert connect(dimension=4).embed([]).shape == (0, 4)
    assert loopback.requests == []


def test_nothing_is_sent_inside_a_write_transaction(loopback: Any, connect: Connect) -> None:
    embedder = connect()
    with transaction_open():
        with pytest.raises(CallInsideTransaction):
            embedder.embed(["a"])
        with pytest.raises(CallInsideTransaction):
            _ = embedder.identity
    assert loopback.requests == []


@pytest.mark.parametrize(
    ("options", "field"),
    [({"api": "grpc"}, "api"), ({"dimension": 0}, "dimension"), ({"api_key": "a\n"}, "api_key")],
)
def test_an_argument_that_cannot_work_is_refused_at_once(
    connect: Connect, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        connect(**options)
    assert caught.value.field == field


@pytest.mark.parametrize("options", [{"timeout_s": 0}, {"retries": -1}, {"batch_size": 0}])
def test_numbers_that_cannot_work_are_refused_at_once(
    connect: Connect, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match="cannot work"):
        connect(**options)
