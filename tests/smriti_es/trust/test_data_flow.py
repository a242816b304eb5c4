"""`describe_data_flow`: what text can go where, without sending any."""

from collections.abc import Callable

import pytest

from smriti_es.data_flow import Flow
from smriti_es.embedders import CallableEmbedder, HashEmbedder, HttpEmbedder
from smriti_es.engine import Engine
from smriti_es.extraction.arbitration import LLMArbiter
from smriti_es.extraction.chat import ChatModel
from smriti_es.extraction.llm import LLMExtractor

Open = Callable[..., Engine]


@pytest.mark.sqlite_only("a memory without a file")
def test_by_default_nothing_leaves_the_process(engine: Open) -> None:
    flow = engine(":memory:", embedder=HashEmbedder()).describe_data_flow()
    assert flow.flows == (
        Flow("embedder", "HashEmbedder", "turns, facts and questions", None, "process", False),
        Flow("extractor", "patterns", "turns", None, "process", False),
    )
    assert (flow.profile, flow.redacts, flow.ignores, flow.telemetry) == (None, (), (), None)
    assert flow.location == ":memory:"


def test_every_adapter_is_listed_with_where_it_sends_text(engine: Open) -> None:
    model = ChatModel("https://user:pass@api.example.com/v1?key=k", "big")
    flow = engine(
        ":memory:",
        embedder=HttpEmbedder("http://localhost:11434", "small"),
        extractor=LLMExtractor(model),
        arbiter=LLMArbiter(model),
        profile="regulated",
        allowed_hosts=["api.example.com"],
        ignore=["^HEARTBEAT"],
    ).describe_data_flow()
    here, away = (
        "http://localhost:11434/v1/embeddings",
        "https://api.example.com/v1/chat/completions",
    )
    assert flow.flows == (
        Flow(
            "embedder",
            "HttpEmbedder (small)",
            "turns, facts and questions",
            here,
            "machine",
            True,
        ),
        Flow("extractor", "LLMExtractor (big)", "turns", away, "network", True),
        Flow("arbiter", "LLMArbiter (big)", "facts", away, "network", True),
    )
    assert (flow.profile, flow.allowed_hosts) == ("regulated", ("api.example.com",))
    assert "api key" in flow.redacts
    assert flow.ignores == ("^HEARTBEAT",)


def test_code_that_does_not_say_where_it_sends_text_is_called_undeclared(engine: Open) -> None:
    silent = CallableEmbedder(len, model="m", dimension=2)
    (flow,) = engine(":memory:", embedder=silent, extractor=None).describe_data_flow().flows
    assert (flow.endpoint, flow.reach) == (None, "undeclared")


@pytest.mark.parametrize("redact", [True, False])
def test_what_stays_in_the_process_is_not_called_redacted(engine: Open, redact: bool) -> None:
    memory = engine(":memory:", embedder=HashEmbedder(), redact=redact)
    assert [flow.redacted for flow in memory.describe_data_flow().flows] == [False, False]
