"""A REST server on a port of this machine, over a memory of the test's own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

import httpx
import pytest
import uvicorn

from smriti_es.engine import Engine
from smriti_es.rest.access import Door
from smriti_es.rest.application import RestApp, rest_app
from smriti_es.rest.engines import Engines, Opening
from smriti_es.rest.limits import Limits
from smriti_es.serving.access_keys import AccessKeys
from smriti_es.serving.listening import Listening
from smriti_es.settings import Settings

LIMIT_S = 60
LIMITS = Limits(body_bytes_max=200_000, body_timeout_s=0.5)


class Api(Protocol):
    """Sends a request, with a key if one is given."""

    def __call__(
        self, method: str, path: str, *, key: str | None = None, **given: Any
    ) -> httpx.Response: ...


@pytest.fixture
def keys(tmp_path: Path) -> AccessKeys:
    return AccessKeys(tmp_path / "access")


@pytest.fixture
def door(keys: AccessKeys, places: Any, clock: Callable[[], int]) -> Iterator[Door]:
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
    yield Door(keys, engines, Opening("default", ("main",)), local=True)
    engines.close()


def _nobody(_: Opening) -> Engine:
    raise AssertionError("no test is running")


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RestApp, str]]:
    """One server for all tests, each of which puts its own door before it."""
    keys = AccessKeys(tmp_path_factory.mktemp("rest") / "access")
    nowhere = Door(keys, Engines(_nobody), Opening("x", ("x",)), True)
    app = rest_app(nowhere, limits=LIMITS)
    listener = Listening().bound()
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield app, f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(LIMIT_S)
    listener.close()


@pytest.fixture
def app(running: tuple[RestApp, str], door: Door) -> RestApp:
    """The application, with the door of this test and nothing counted yet."""
    app, _ = running
    app.api.state.door = door
    return app


@pytest.fixture
def address(running: tuple[RestApp, str], app: RestApp) -> str:
    """The address of the server, with the door of this test before it."""
    return running[1]


@pytest.fixture
def api(address: str) -> Iterator[Api]:
    """Send requests to the server."""
    with httpx.Client(base_url=address, trust_env=False, timeout=LIMIT_S) as client:

        def send(method: str, path: str, *, key: str | None = None, **given: Any) -> httpx.Response:
            headers = given.pop("headers", {})
            if key is not None:
                headers = headers | {"Authorization": f"Bearer {key}"}
            return client.request(method, path, headers=headers, **given)

        yield send
