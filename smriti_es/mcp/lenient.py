"""Arguments as models and clients write them: numbers in quotes, lists as text, null for absent.

What is understood means the obvious thing; all else is refused with the name of the argument.
"""

import json
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

NAME_MAX: Final = 200
LIST_MAX: Final = 50
JSON_MAX: Final = 100_000


def whole_number(given: Any) -> Any:
    """Read a whole number, also in quotes or with a decimal point and nothing behind it."""
    if isinstance(given, bool):
        raise ValueError("is true or false; give a whole number")  # noqa: TRY004  pydantic's way
    if isinstance(given, str):
        given = given.strip()
        try:
            return int(given)
        except ValueError:
            raise ValueError("is no whole number; give one such as 5") from None
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return given


def clamped(lowest: int, highest: int) -> Any:
    """Make a reader of whole numbers that moves what is out of range to the end of it."""

    def read(given: Any) -> Any:
        number = whole_number(given)
        return max(lowest, min(number, highest)) if isinstance(number, int) else number

    return read


def text_list(given: Any) -> Any:
    """Read a list of texts, also as JSON in a text, or as a text with commas."""
    if isinstance(given, str):
        stripped = given.strip()
        if stripped.startswith("["):
            return _json(stripped, "list")
        return [part.strip() for part in stripped.split(",") if part.strip()]
    return given


def number_list(given: Any) -> Any:
    """Read a list of whole numbers, also alone, in quotes or with commas."""
    if isinstance(given, int) and not isinstance(given, bool):
        return [given]
    listed = text_list(given)
    return [whole_number(each) for each in listed] if isinstance(listed, list) else listed


def mapping(given: Any) -> Any:
    """Read an object, also as JSON in a text; an empty text is none."""
    if isinstance(given, str):
        return _json(given, "object") if given.strip() else {}
    return given


def yes_or_no(given: Any) -> Any:
    """Read true or false, also in quotes."""
    if isinstance(given, str) and given.strip().lower() in {"true", "false"}:
        return given.strip().lower() == "true"
    return given


def point_in_time(given: Any) -> Any:
    """Read a position or a time as text."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _json(text: str, kind: str) -> Any:
    if len(text) > JSON_MAX:
        raise ValueError(f"is longer than {JSON_MAX} characters")
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError(f"is no {kind} in JSON") from None


Name = Annotated[str, Field(max_length=NAME_MAX)]
When = Annotated[str, Field(max_length=NAME_MAX)]
Flag = Annotated[bool, BeforeValidator(yes_or_no)]
TextList = Annotated[tuple[Name, ...], Field(max_length=LIST_MAX), BeforeValidator(text_list)]
NumberList = Annotated[tuple[int, ...], Field(max_length=LIST_MAX), BeforeValidator(number_list)]
Mapping = Annotated[dict[str, Any], BeforeValidator(mapping)]
Position = Annotated[int, Field(ge=0), BeforeValidator(whole_number)]


class Arguments(BaseModel):
    """What a tool is called with; what is not known is refused, so that no filter is lost."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _absent_when_null(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}

    @classmethod
    def read(cls, given: dict[str, Any]) -> Self:
        """Read arguments as a client sends them."""
        return cls.model_validate(given)


def plain_schema(model: type[BaseModel], *, given: bool = False) -> dict[str, Any]:
    """Give the JSON schema of a model as every client can read it.

    Parts stand where they are used, since some clients follow no references, and what pydantic
    makes of Python's names is left out: it costs a model tokens and tells nothing.

    Args:
        model: The model.
        given: Whether it is of what is given back, not of what is taken.
    """
    schema = model.model_json_schema(
        by_alias=False, mode="serialization" if given else "validation"
    )
    parts = schema.pop("$defs", {})
    schema.pop("description", None)
    plain: dict[str, Any] = _plain(schema, parts)
    return plain


def _plain(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_plain(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        referred = parts[schema["$ref"].removeprefix("#/$defs/")]
        return _plain({**referred, **{k: v for k, v in schema.items() if k != "$ref"}}, parts)
    kept = {}
    for name, value in schema.items():
        if name == "properties":
            kept[name] = {each: _plain(of, parts) for each, of in value.items()}
        elif name != "title":
            kept[name] = value if name in ("default", "enum", "required") else _plain(value, parts)
    return kept
