"""The shape of the code: layers, sizes, public names, cheap import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lacuna

PACKAGE = Path(lacuna.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: A module imports only from its own row and the rows above it.
LAYERS = (
    ("errors", "kernels", "types", "version"),
    ("text",),
    ("encoding",),
    ("io",),
    ("features",),
    ("inference",),
    ("learning",),
    ("models",),
    ("deid", "evaluation", "synthetic"),
    ("pictures",),
    ("pipeline",),
    ("archive",),
    ("cli",),
)
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_KERNEL_LINES = 60


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            names = [node.module or ""]
            if node.module == "lacuna":
                names = [f"lacuna.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "lacuna":
                yield node.lineno, rest.partition(".")[0]


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function's body without its docstring."""
    body = function.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_go_down(path: Path) -> None:
    if path.parent == PACKAGE and path.stem in {"__init__", "__main__"}:
        return  # the public face may gather names from everywhere
    own = RANK[layer(path)]
    for line, imported in imported_layers(path):
        if imported == "__version__":
            continue
        assert RANK[imported] <= own, f"{path}:{line}: {layer(path)} must not import {imported}"
        same_row = RANK[imported] == own and own > 0
        assert not same_row or imported == layer(path), (
            f"{path}:{line}: {layer(path)} and {imported} stand side by side"
        )


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= MAX_FILE_LINES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_kernel = any(ast.unparse(d) == "kernel" for d in node.decorator_list)
            limit = MAX_KERNEL_LINES if is_kernel else MAX_FUNCTION_LINES
            assert code_lines(node) <= limit, f"{path}:{node.lineno} {node.name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


def test_numba_is_used_through_one_decorator() -> None:
    users = {
        path.name
        for path in SOURCES
        if any(
            isinstance(node, ast.Import | ast.ImportFrom) and "numba" in ast.unparse(node)
            for node in ast.walk(ast.parse(path.read_text()))
        )
    }
    assert users == {"kernels.py"}


def test_public_names_are_sorted_and_real() -> None:
    assert lacuna.__all__ == sorted(lacuna.__all__)
    assert all(hasattr(lacuna, name) for name in lacuna.__all__)


def test_import_is_quiet_and_does_not_load_the_heavy_libraries() -> None:
    code = (
        "import sys, lacuna; from lacuna.cli.main import command_line; command_line();"
        "print(sorted({'numba', 'scipy', 'faker'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert run.stdout == "[]\n"
