"""The page on a port of this machine, over a memory of the test's own."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

from smriti_es.engine import Engine
from smriti_es.rest.access import Door
from smriti_es.rest.engines import Engines, Opening
from smriti_es.rest.limits import Limits
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.listening import Listening
from smriti_es.settings import Settings
from smriti_es.ui.application import UiApp, ui_app
from smriti_es.ui.visiting import Visitors
from tests.smriti_es.ui.markup import Element, read

LIMIT_S = 60
OWN = Opening("default", ("main",), actor="ui")


@dataclass(slots=True)
class Browser:
    """Opens pages as a browser without script does: with cookies, following where it is led."""

    http: httpx.Client

    def open(self, path: str, *, status: int = 200) -> Element:
        """Open a page, and give what is in it."""
        return self._read(self.http.get(path), status)

    def send(self, form: Element, *, to: str | None = None, status: int = 200, **typed: str) -> Any:
        """Send a form with what is in it and what is typed, as from its own page."""
        fields = {
            each["name"]: each.attributes.get("value", "")
            for each in form.all("input")
            if "name" in each.attributes
        }
        path = form.attributes.get("action", "") if to is None else to
        origin = {"Origin": str(self.http.base_url).rstrip("/"), "Sec-Fetch-Site": "same-origin"}
        sent = self.http.post(path, data=fields | typed, headers=origin)
        return self._read(sent, status)

    def _read(self, answer: httpx.Response, status: int) -> Element:
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return read(answer.text)


@pytest.fixture
def keys(tmp_path: Path) -> AccessKeys:
    return AccessKeys(tmp_path / "access")


@pytest.fixture
def visitors(keys: AccessKeys, places: Any, clock: Callable[[], int]) -> Iterator[Visitors]:
    """Who comes in, and to which memories; an extractor by patterns, no embedder."""

    def open_engine(wanted: Opening) -> Engine:
        return Engine.open(
            places.named("memory.db"),
            tenant=wanted.tenant,
            space=wanted.spaces[0],
            spaces=wanted.spaces,
            read_only=wanted.read_only,
            origin=wanted.origin,
            actor=wanted.actor,
            embedder=None,
            settings=Settings(embed_in_background=False, extract_in_background=False),
            clock=clock,
        )

    engines = Engines(open_engine)
    yield Visitors(Door(keys, engines, OWN, local=True), os.urandom, clock)
    engines.close()


@pytest.fixture
def memory(visitors: Visitors) -> Iterator[Engine]:
    """The memory that the page shows while there is no key."""
    with visitors.door.engines.using(OWN) as engine:
        yield engine


def _nobody(_: Opening) -> Engine:
    raise AssertionError("no test is running")


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[UiApp, str]]:
    """One server for all tests, each of which puts its own visitors before it."""
    keys = AccessKeys(tmp_path_factory.mktemp("ui") / "access")
    nowhere = Visitors(Door(keys, Engines(_nobody), OWN, local=True), os.urandom)
    listening = Listening()
    listener = listening.bound()
    port = listener.getsockname()[1]
    app = ui_app(nowhere, limits=Limits(names=listening.names(port)))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=2))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield app, f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(LIMIT_S)
    listener.close()


@pytest.fixture
def address(serving: tuple[UiApp, str], visitors: Visitors) -> str:
    """Where the page is, with the visitors of this test."""
    app, at = serving
    app.pages.state.visitors = visitors
    return at


@pytest.fixture
def http(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(
        base_url=address, trust_env=False, timeout=LIMIT_S, follow_redirects=True
    ) as client:
        yield client


@pytest.fixture
def browser(http: httpx.Client) -> Browser:
    return Browser(http)


@pytest.fixture
def told(memory: Engine) -> Engine:
    """A memory in which somebody moved, and an agent says something that waits."""
    memory.add("I live in Hyderabad.", session="s1", at="2026-01-15T10:00:00Z")
    memory.add("I live in Bengaluru.", session="s2", at="2026-05-01T10:00:00Z")
    told = {"role": "user", "content": "I live in Paris."}
    memory.add([told], session="s3", at="2026-05-20T10:00:00Z", origin="agent")
    return memory
