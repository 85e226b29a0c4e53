"""Options that commands share, as records: every field of a dataclass is an option.

A command takes a record as one parameter, ``corpus: CorpusOptions``. For typer, :func:`flat`
replaces it with one parameter per field, and builds the record when the command is called.
``Annotated[CorpusOptions, only("format", "encoding")]`` offers just these options, in this order;
the other fields keep their defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

Command = Callable[..., None]


def only(*names: str) -> tuple[str, ...]:
    """Choose fields of a record, in the order of the help text."""
    return names


def flat(command: Command) -> Command:
    """Return `command` with one keyword parameter for each field of its records."""
    records: dict[str, tuple[Any, list[str]]] = {}
    parameters: list[Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in signature(command).parameters.items():
        hint = hints[name]
        record = getattr(hint, "__origin__", hint)  # without Annotated
        if is_dataclass(record):
            names, *_ = getattr(hint, "__metadata__", [()])
            options = list(_options(record, names))
            records[name] = record, [option.name for option in options]
            parameters += options
        else:
            parameters.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, (record, names) in records.items():
            values[name] = record(**{field: values.pop(field) for field in names})
        command(**values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def with_option(command: Command, name: str, annotation: Any, *, default: Any) -> Command:
    """Return a flat command with one more option, which only its callback sees."""

    @wraps(command)
    def run(**values: Any) -> None:
        del values[name]
        command(**values)

    option = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    parameters = [*signature(command).parameters.values(), option]
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def _options(record: Any, names: Iterable[str]) -> Iterator[Parameter]:
    hints = get_type_hints(record, include_extras=True)
    defaults = {
        field.name: Parameter.empty if field.default is MISSING else field.default
        for field in fields(record)
    }
    for name in names or defaults:
        yield Parameter(
            name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hints[name]
        )
