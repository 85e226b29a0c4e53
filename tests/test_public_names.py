"""What a user sees of the package: ``dir``, ``help``, errors."""

from __future__ import annotations

import inspect
import pydoc

import lacuna
from lacuna import errors


def test_dir_shows_the_api_and_nothing_else() -> None:
    assert dir(lacuna) == lacuna.__all__
    assert {"Deidentifier", "deidentify", "train", "load", "read", "write"} <= set(dir(lacuna))


def test_help_shows_every_name() -> None:
    shown = pydoc.plain(pydoc.render_doc(lacuna))
    classes = [n for n in lacuna.__all__ if inspect.isclass(getattr(lacuna, n))]
    functions = [n for n in lacuna.__all__ if inspect.isfunction(getattr(lacuna, n))]
    assert {*classes, *functions, "__version__"} == set(lacuna.__all__)
    for name in classes:
        assert f"    class {name}" in shown, name
    for name in functions:
        own_name = getattr(lacuna, name).__name__
        assert f"    {name} = {own_name}(" in shown or f"    {name}(" in shown, name


def test_all_errors_are_public() -> None:
    classes = inspect.getmembers(errors, inspect.isclass)
    own = {name for name, value in classes if value.__module__ == errors.__name__}
    assert {"LacunaError", "ConfigError"} <= own <= set(lacuna.__all__)
