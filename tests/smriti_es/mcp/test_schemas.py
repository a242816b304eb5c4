"""What a client is told of the tools: a change of it is a change for every client."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from smriti_es.mcp.server import listed_tools

KEPT = Path(__file__).with_name("schemas.json")


def listed() -> list[dict[str, Any]]:
    return [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed_tools()]


def test_the_tools_are_listed_as_they_are_kept() -> None:
    # To keep them anew: write what `listed()` gives to the file, and look at the difference.
    assert listed() == json.loads(KEPT.read_text("utf-8"))


@pytest.mark.parametrize("tool", listed(), ids=lambda tool: tool["name"])
def test_both_schemas_of_a_tool_are_schemas_of_objects(tool: dict[str, Any]) -> None:
    for name in ("inputSchema", "outputSchema"):
        jsonschema.Draft202012Validator.check_schema(tool[name])
        assert tool[name]["type"] == "object"


def test_no_schema_refers_to_another_place() -> None:
    assert "$ref" not in json.dumps(listed())


def test_every_argument_says_what_it_is() -> None:
    silent = [
        f"{tool['name']}.{name}"
        for tool in listed()
        for name, schema in tool["inputSchema"]["properties"].items()
        if not schema.get("description")
    ]
    assert silent == []
