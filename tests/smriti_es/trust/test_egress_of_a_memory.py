"""What leaves a memory through its adapters: where the profile allows, without credentials."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from smriti_es.embedders import CallableEmbedder, HashEmbedder, HttpEmbedder
from smriti_es.engine import Engine
from smriti_es.events.errors import EgressRefused, EmbedderError
from smriti_es.extraction.arbitration import LLMArbiter, Verdict
from smriti_es.extraction.chat import ChatModel
from smriti_es.extraction.contract import Extraction, SourceTurn
from smriti_es.extraction.digest_writer import DigestWriter
from smriti_es.extraction.fact_digest import FactDigest
from smriti_es.extraction.llm import LLMExtractor
from smriti_es.settings import Settings

Open = Callable[..., Engine]

AWAY = "https://api.example.com/v1"
SECRET = "sk-proj-" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3"
GONE = "[redacted: api key]"
BY_HAND = Settings(embed_in_background=False, extract_in_background=False)


def vectors(*values: Sequence[float]) -> bytes:
    rows = [{"index": at, "embedding": list(value)} for at, value in enumerate(values)]
    return json.dumps({"data": rows}).encode()


def says(content: str) -> bytes:
    message = {"role": "assistant", "content": content}
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()


class Watched(httpx.MockTransport):
    """A network that answers every request with one vector and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[httpx.Request] = []
        super().__init__(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        return httpx.Response(200, content=vectors([1.0, 0.0]))


class Moving:
    """An adapter of every kind that can be told to send its text elsewhere."""

    name = "moving/1"
    model = "moving"
    prompt_digest = ""
    immediate = True
    weak = False
    endpoint: str | None = None

    def __init__(self) -> None:
        self._embedder = HashEmbedder()
        self.identity = self._embedder.identity
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        return self._embedder.embed(texts)

    def extract(self, turns: Sequence[SourceTurn], *, timezone: str) -> Extraction:
        self.calls += 1
        return Extraction(())

    def decide(self, new: FactDigest, candidates: Sequence[FactDigest]) -> Verdict:
        self.calls += 1
        return Verdict("add")


def remote(transport: httpx.BaseTransport | None = None) -> HttpEmbedder:
    client = httpx.Client(transport=transport or Watched())
    return HttpEmbedder(AWAY, "m", dimension=2, client=client, retries=0)


def chat(address: str = AWAY, **options: Any) -> ChatModel:
    return ChatModel(address, "m", retries=0, **options)


@pytest.mark.parametrize(
    ("adapters", "kind"),
    [
        ({"embedder": remote()}, "embedder"),
        ({"extractor": LLMExtractor(chat())}, "extractor"),
        ({"arbiter": LLMArbiter(chat())}, "arbiter"),
    ],
    ids=["embedder", "extractor", "arbiter"],
)
def test_an_adapter_that_sends_text_away_is_refused_before_anything_is_opened(
    engine: Open, tmp_path: Path, adapters: dict[str, Any], kind: str
) -> None:
    told = f"profile local: the {kind} would send text to api.example.com"
    with pytest.raises(EgressRefused, match=told):
        engine(profile="local", **adapters)
    assert list(tmp_path.iterdir()) == []


def test_a_function_that_does_not_say_where_it_sends_text_is_refused(engine: Open) -> None:
    silent = CallableEmbedder(len, model="m", dimension=2)
    with pytest.raises(EgressRefused, match="the embedder does not say where it sends text"):
        engine(profile="team", embedder=silent)


def test_a_function_that_says_that_it_sends_nothing_is_allowed(engine: Open) -> None:
    quiet = CallableEmbedder(
        lambda texts: [[1.0, 0.0] for _ in texts], model="m", dimension=2, endpoint=None
    )
    memory = engine(profile="local", embedder=quiet)
    memory.add("hello", session="s", wait_for="vectors")
    assert memory.status().vectors == 1


def test_without_a_profile_text_goes_where_an_adapter_sends_it(engine: Open) -> None:
    network = Watched()
    engine(embedder=remote(network)).add("hello", session="s", wait_for="vectors")
    assert [request.url.host for request in network.asked] == ["api.example.com"]


def test_a_host_on_the_list_is_reached(engine: Open) -> None:
    network = Watched()
    memory = engine(
        profile="regulated", allowed_hosts=["api.example.com"], embedder=remote(network)
    )
    memory.add("hello", session="s", wait_for="vectors")
    assert len(network.asked) == 1


def test_an_embedder_that_has_moved_is_not_used_and_searches_go_by_words(engine: Open) -> None:
    moving = Moving()
    memory = engine(profile="local", embedder=moving, settings=BY_HAND)
    memory.add("I keep bees.", session="s", wait_for="vectors")
    moving.endpoint, calls = AWAY, moving.calls
    found = memory.search("bees?")
    assert [hit.text for hit in found] == ["I keep bees."]
    assert any("profile local: the embedder would send" in told for told in found.degraded)
    with pytest.raises(EmbedderError, match="profile local: the embedder would send"):
        memory.add("And hens.", session="s", wait_for="vectors")
    assert moving.calls == calls


def test_an_extractor_that_has_moved_is_a_failed_extraction(engine: Open) -> None:
    moving = Moving()
    memory = engine(profile="local", extractor=moving)
    moving.endpoint = AWAY
    added = memory.add("I keep bees.", session="s")
    ((position, why),) = memory.status().extraction_failed
    assert (position,) == added.positions
    assert why.startswith("profile local: the extractor would send text to api.example.com")
    assert moving.calls == 0


class Lying(Moving):
    """Says that nothing leaves the process, and asks a model far away."""

    def __init__(self, inner: HttpEmbedder) -> None:
        super().__init__()
        self._inner = inner
        self.identity = inner.identity

    def embed(self, texts: Sequence[str]) -> Any:
        return self._inner.embed(texts)


def test_our_own_client_sends_nothing_away_whatever_the_adapter_says(engine: Open) -> None:
    network = Watched()
    memory = engine(profile="local", embedder=Lying(remote(network)), settings=BY_HAND)
    with pytest.raises(EmbedderError, match=r"would send text to api\.example\.com"):
        memory.add("hello", session="s", wait_for="vectors")
    assert network.asked == []


def test_a_redirect_is_not_followed(engine: Open, loopback: Any) -> None:
    loopback.sends(b"", status=307, Location=f"{AWAY}/embeddings")
    near = HttpEmbedder(loopback.address, "m", dimension=2, retries=0)
    memory = engine(profile="local", embedder=near, settings=BY_HAND)
    with pytest.raises(EmbedderError, match="307"):
        memory.add("hello", session="s", wait_for="vectors")
    ((_, why),) = memory.status().failed
    assert why == f"the embedder at {loopback.address}/v1/embeddings answered 307 (1 attempt)"


def test_a_writer_that_sends_facts_away_is_refused(engine: Open) -> None:
    memory = engine(profile="local")
    with pytest.raises(EgressRefused, match="profile local: the writer would send text"):
        memory.observe(writer=DigestWriter(chat()))


def test_what_was_stored_before_anything_was_redacted_is_not_sent(
    engine: Open, loopback: Any
) -> None:
    before = engine(extractor=None)
    before.add(f"My key is {SECRET}, keep it.", session="s")
    before.assert_fact("Cem", "uses", f"a {SECRET}", multi=True)
    before.assert_fact("Cem", "uses", "b", multi=True)
    before.close()
    loopback.sends(vectors([1.0, 0.0], [0.0, 1.0], [1.0, 1.0]))
    loopback.sends(vectors([1.0, 0.0]))
    loopback.sends(says('{"facts": []}'))
    loopback.sends(says("In short: keys."))
    model = chat(loopback.address)
    memory = engine(
        redact=True,
        embedder=HttpEmbedder(loopback.address, "m", dimension=2, retries=0),
        extractor=LLMExtractor(model),
        settings=BY_HAND,
    )
    memory.wait_for_vectors()
    memory.search(f"Where is {SECRET}?")
    memory.extract_pending()
    memory.observe(writer=DigestWriter(model))
    sent = json.dumps([body for _, _, body in loopback.requests])
    assert len(loopback.requests) >= 4
    assert SECRET not in sent
    assert sent.count(GONE) >= 4


def test_in_this_process_a_question_is_embedded_as_it_is(engine: Open) -> None:
    seen: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        seen.extend(texts)
        return [[1.0, 0.0] for _ in texts]

    quiet = CallableEmbedder(embed, model="m", dimension=2, endpoint=None)
    memory = engine(redact=True, embedder=quiet)
    memory.add("hello", session="s", wait_for="vectors")
    memory.search(f"Where is {SECRET}?")
    assert f"Where is {SECRET}?" in seen
