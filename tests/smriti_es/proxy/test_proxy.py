"""Recall into requests, pass streams on untouched, record what was said, and nothing twice."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from smriti_es.engine import Engine
from smriti_es.events.errors import StorageBusy
from smriti_es.proxy.application import Upstream, proxy_app
from smriti_es.serving.agent_memory import AgentMemory

Chat = Callable[..., httpx.Response]
Finish = Callable[[], None]


def texts(engine: Engine) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in engine.turns()]


def test_what_is_known_is_put_behind_the_applications_own_instructions(
    chat: Chat, service: Any, owner: Engine
) -> None:
    owner.add("I live in Pune.", session="s1", at="2024-01-15")
    instructions = {"role": "system", "content": "Be brief."}
    answer = chat(instructions, "Where do I live?")
    assert answer.headers["x-memory"] == "recalled"
    first, block, last = service.messages
    assert (first, last["content"]) == (instructions, "Where do I live?")
    assert block["role"] == "system"
    lines = block["content"].splitlines()
    assert (lines[0], lines[-1]) == ("<memory>", "</memory>")
    assert "  user: I live in Pune." in lines


def test_the_answer_comes_back_as_it_was(chat: Chat, service: Any, answers: Any) -> None:
    service.answer = lambda: answers.said("You live in Pune.")
    answer = chat("Where do I live?")
    assert answer.json()["choices"][0]["message"]["content"] == "You live in Pune."


def test_an_exchange_is_recorded_once_it_is_answered(
    chat: Chat, proxy: httpx.Client, owner: Engine, finish: Finish
) -> None:
    chat("I live in Pune.")
    finish()
    assert texts(owner) == [("user", "I live in Pune."), ("assistant", "Noted.")]
    assert [turn.origin for turn in owner.turns()] == ["agent", "agent"]


def test_a_conversation_that_is_sent_again_records_only_what_is_new(
    chat: Chat, owner: Engine, finish: Finish
) -> None:
    noted = {"role": "assistant", "content": "Noted."}
    chat("I live in Pune.")
    chat("I live in Pune.", noted, "I like chai.")
    chat("I live in Pune.", noted, "I like chai.", noted, "ok")
    chat("I live in Pune.", noted, "I like chai.", noted, "ok")
    finish()
    told = [text for role, text in texts(owner) if role == "user"]
    assert told[:3] == ["I live in Pune.", "I like chai.", "ok"]
    assert [turn.session for turn in owner.turns()][:6] == [owner.turns()[0].session] * 6


def test_what_was_recalled_is_never_recorded(
    chat: Chat, service: Any, owner: Engine, finish: Finish
) -> None:
    owner.add("I live in Pune.", session="s1", at="2024-01-15")
    for _ in range(3):
        chat("Where do I live?")
        block = next(each for each in service.messages if each["role"] == "system")
        # An application that keeps everything sends the block back as its own.
        chat(block, "And now?", {"role": "assistant", "content": block["content"]}, "Well?")
    finish()
    assert sum("I live in Pune." in text for _, text in texts(owner)) == 1
    assert not any("[memory" in text for _, text in texts(owner))


def test_a_stream_passes_byte_for_byte_and_is_recorded(
    chat: Chat, service: Any, owner: Engine, answers: Any, finish: Finish
) -> None:
    whole = (
        b": a comment\n\n"
        + answers.chunk("You live ")
        + answers.chunk("in Puné 🙂.")
        + answers.chunk(None, finish_reason="stop")
        + b'data: {"choices": [], "usage": {"total_tokens": 3}}\n\n'
        + b"data: [DONE]\n\n"
    )
    parts = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    service.answer = lambda: answers.streamed(*parts)
    answer = chat("Where do I live?", stream=True)
    assert answer.content == whole
    assert answer.headers["content-type"].startswith("text/event-stream")
    finish()
    assert texts(owner)[:2] == [
        ("user", "Where do I live?"),
        ("assistant", "You live in Puné 🙂."),
    ]


def test_a_stream_without_an_end_is_recorded_as_cut_off(
    chat: Chat, service: Any, owner: Engine, answers: Any, finish: Finish
) -> None:
    service.answer = lambda: answers.streamed(answers.chunk("You live"))
    chat("Where do I live?", stream=True)
    finish()
    assert [(turn.text, turn.tags) for turn in owner.turns()][:2] == [
        ("Where do I live?", ()),
        ("You live", ("cut-off",)),
    ]


def test_calls_of_tools_in_a_stream_are_put_together(
    chat: Chat, service: Any, owner: Engine, answers: Any, finish: Finish
) -> None:
    def call(**told: Any) -> bytes:
        return answers.chunk(None, delta={"tool_calls": [{"index": 0, **told}]})  # type: ignore[no-any-return]

    service.answer = lambda: answers.streamed(
        call(id="c1", function={"name": "weather", "arguments": '{"in":'}),
        call(function={"arguments": '"Pune"}'}),
        b"data: [DONE]\n\n",
    )
    chat("How is the weather?", stream=True)
    finish()
    (called,) = [turn for turn in owner.turns() if turn.tool_calls]
    assert called.tool_calls == [{"id": "c1", "name": "weather", "arguments": '{"in":"Pune"}'}]


@pytest.mark.parametrize("status", [400, 401, 429, 500])
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_of_the_service_comes_back_and_nothing_is_recorded(
    status: int, stream: bool, chat: Chat, service: Any, owner: Engine, answers: Any, finish: Finish
) -> None:
    service.answer = lambda: answers.said("no", status)
    answer = chat("I live in Pune.", stream=stream)
    assert answer.status_code == status
    finish()
    assert owner.turns() == []


def test_parts_of_a_message_are_recalled_for_and_recorded(
    chat: Chat, service: Any, owner: Engine, finish: Finish
) -> None:
    owner.add("I live in Pune.", session="s1", at="2024-01-15")
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = [{"type": "text", "text": "Where do I live?"}, image]
    answer = chat({"role": "user", "content": asked})
    assert answer.headers["x-memory"] == "recalled"
    assert service.messages[-1]["content"] == asked
    finish()
    assert "Where do I live?" in texts(owner)[1][1]


def test_a_session_may_be_named(chat: Chat, service: Any, owner: Engine, finish: Finish) -> None:
    chat("I live in Pune.", headers={"X-Memory-Session": "january"})
    assert "x-memory-session" not in service.asked[-1][1]
    finish()
    assert owner.turns()[0].session == "january"


@pytest.mark.parametrize(
    ("sent", "passed"),
    [
        ("Bearer sk-theirs", "Bearer sk-theirs"),
        ("Bearer smriti_0_secret", None),
        ("bearer smriti_0_secret", None),
    ],
)
def test_a_key_of_ours_never_reaches_the_service(
    sent: str, passed: str | None, chat: Chat, service: Any
) -> None:
    chat("Hello there.", headers={"Authorization": sent})
    assert service.asked[-1][1].get("authorization") == passed


def test_other_routes_pass_as_they_are(proxy: httpx.Client, service: Any, answers: Any) -> None:
    assert proxy.get("/v1/models?x=1").status_code == 200
    body = {"input": "Hello there.", "model": "m"}
    assert proxy.post("/v1/embeddings", json=body).status_code == 200
    assert service.asked[-1][0] == body


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages": 5}', b'{"messages": [5]}'])
def test_what_cannot_be_understood_passes_as_it_is(
    body: bytes, proxy: httpx.Client, owner: Engine, service: Any
) -> None:
    assert proxy.post("/v1/chat/completions", content=body).status_code == 200
    assert service.bodies[-1] == body
    assert owner.turns() == []


def test_a_service_that_is_not_there_is_told_as_such(
    engine: Callable[..., Engine],
) -> None:
    import asyncio

    memory = AgentMemory(engine(origin="agent"), "today")

    async def ask() -> httpx.Response:
        upstream = httpx.AsyncClient(trust_env=False, timeout=5)
        app = proxy_app(memory, Upstream("http://127.0.0.1:9/v1"), http=upstream)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
            said = {"messages": [{"role": "user", "content": "Hello there."}]}
            answer = await client.post("/v1/chat/completions", json=said)
        await upstream.aclose()
        return answer

    answer = asyncio.run(ask())
    assert (answer.status_code, answer.json()["error"]["type"]) == (502, "upstream_error")


def test_a_memory_that_cannot_be_read_or_written_keeps_nobody_waiting(
    chat: Chat, service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> Any:
        raise StorageBusy("busy")

    monkeypatch.setattr(AgentMemory, "recall", busy)
    monkeypatch.setattr(AgentMemory, "remember", busy)
    answer = chat("Where do I live?")
    assert (answer.status_code, answer.headers["x-memory"]) == (200, "unavailable")
    assert [each["role"] for each in service.messages] == ["user"]


def test_what_is_quarantined_or_untrusted_is_recalled_for_no_model(
    chat: Chat, service: Any, owner: Engine
) -> None:
    owner.add("I live in zanzibarite.", session="s1", at="2024-01-15")
    owner.add("I work in zanzibarite.", session="s2", at="2024-01-15", origin="untrusted")
    owner.quarantine(session="s1")
    chat("Where do I live and work, in zanzibarite?")
    assert [each["role"] for each in service.messages] == ["user"]


def test_a_client_that_leaves_in_the_midst_of_a_stream_is_recorded_as_far_as_it_heard(
    proxy: httpx.Client, service: Any, owner: Engine, answers: Any, finish: Finish
) -> None:
    many = [answers.chunk(f"word {number} ") for number in range(2_000)]
    service.answer = lambda: answers.streamed(answers.chunk("You live "), *many)
    said = {"messages": [{"role": "user", "content": "Where do I live?"}], "stream": True}
    with proxy.stream("POST", "/v1/chat/completions", json=said) as answer:
        next(answer.iter_raw())
    finish()
    asked, heard = owner.turns()
    assert (asked.text, heard.tags) == ("Where do I live?", ("cut-off",))
    assert heard.text.startswith("You live word 0")
