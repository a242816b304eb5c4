"""The description of the routes is true: requests made from it get answers that it describes."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from smriti_es.engine import Engine
from smriti_es.rest.access import Door
from smriti_es.rest.application import rest_app
from smriti_es.rest.engines import Engines, Opening
from smriti_es.serving.access_keys import AccessKeys

EXAMPLES = 30 if os.environ.get("SMRITI_ES_GUARANTEES") == "1" else 2
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def _operations() -> Iterator[Any]:
    """Give what can be asked, as the description tells it."""
    nowhere = Door(AccessKeys(Path("nowhere")), Engines(_nobody), Opening("x", ("x",)), True)
    schema = schemathesis.openapi.from_dict(rest_app(nowhere).api.openapi())
    for found in schema.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # ours is a valid description
        yield pytest.param(operation, id=f"{operation.method} {operation.path}")


def _nobody(_: Opening) -> Engine:
    raise AssertionError("nobody opens a memory while tests are collected")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
@pytest.mark.parametrize("operation", list(_operations()))
def test_every_answer_is_one_that_the_description_names(
    operation: Any, mode: GenerationMode, address: str
) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        answer = case.call(base_url=address)
        case.validate_response(answer, checks=CHECKS)

    if mode is GenerationMode.POSITIVE or operation.body or operation.query:
        run()


def test_the_description_is_served_and_names_the_one_shape_of_errors(address: str) -> None:
    with httpx.Client(base_url=address, trust_env=False) as client:
        told = client.get("/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    assert set(told["components"]["schemas"]["Problem"]["properties"]) == {
        *("type", "title", "status", "detail", "hint", "retryable", "errors")
    }
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                if status.startswith(("4", "5")) and not path.startswith("/health"):
                    assert list(answer["content"]) == ["application/problem+json"], (method, path)
