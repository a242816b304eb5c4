"""Let a verb take whole groups of options, each a dataclass, instead of a dozen arguments.

A field of such a class is written as typer wants an argument: an `Annotated` type and a default.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def with_option_groups(function: Callable[..., None]) -> Callable[..., None]:
    """Spread every parameter that is a dataclass into its fields, for typer to see.

    Args:
        function: Takes any number of such groups, and single options beside them.

    Returns:
        A function with one keyword argument for each option, which puts the groups together and
        calls the one given.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, type[Any]] = {}
    spread: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(hints[name]):
            groups[name] = hints[name]
            spread += _parameters_of(hints[name])
        else:
            keyword = inspect.Parameter.KEYWORD_ONLY
            spread.append(parameter.replace(annotation=hints[name], kind=keyword))

    @wraps(function)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{each.name: values.pop(each.name) for each in fields(group)})
        function(**values)

    run.__signature__ = inspect.Signature(spread)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in spread}
    return run


def _parameters_of(group: type[Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(each),
            annotation=hints[each.name],
        )
        for each in fields(group)
    ]


def _default(option: Field[Any]) -> Any:
    return inspect.Parameter.empty if option.default is MISSING else option.default
