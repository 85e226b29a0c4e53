"""The shape of the code: layers, sizes, reading paths, public names, cheap import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

import lacuna
from tests.slow import COMPILED_ONLY, SLOW

PACKAGE = Path(lacuna.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
ROOT = Path(__file__).parent.parent

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
    ("arrow", "presidio", "sklearn", "spacy"),
    ("spark",),
    ("web",),
    ("cli",),
)
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
MAX_KERNEL_LINES = 60
MAX_FILES_TO_KERNEL = 4


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree(path)):
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
    """Count the lines of a function, decorators and signature included, without its docstring."""
    first = min(node.lineno for node in (function, *function.decorator_list))
    lines = (function.end_lineno or 0) - first + 1
    head = function.body[0]
    if isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant):
        lines -= (head.end_lineno or 0) - head.lineno + 1
    return lines


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_only_go_down(path: Path) -> None:
    if path.parent == PACKAGE and path.stem in {"__init__", "__main__"}:
        return  # the public face may gather names from everywhere
    own = RANK[layer(path)]
    for line, imported in imported_layers(path):
        assert RANK[imported] <= own, f"{path}:{line}: {layer(path)} must not import {imported}"
        same_row = RANK[imported] == own and own > 0
        assert not same_row or imported == layer(path), (
            f"{path}:{line}: {layer(path)} and {imported} are side by side"
        )


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= MAX_FILE_LINES
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_kernel = any(ast.unparse(d) == "kernel" for d in node.decorator_list)
            limit = MAX_KERNEL_LINES if is_kernel else MAX_FUNCTION_LINES
            assert code_lines(node) <= limit, f"{path}:{node.lineno} {node.name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(tree(path))


def test_numba_is_used_through_one_decorator() -> None:
    users = {
        path.name
        for path in SOURCES
        if any(
            isinstance(node, ast.Import | ast.ImportFrom) and "numba" in ast.unparse(node)
            for node in ast.walk(tree(path))
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


#: Kernels that kernels of other files call. numba does not notice when one of these changes.
CALLED_FROM_OTHER_FILES = {
    "lacuna.deid.patterns.number_starts": {"is_opened", "task_of_number"},
    "lacuna.deid.patterns.signs": {
        "digits_at",
        "is_capital",
        "is_glued_to_digit",
        "is_hexadecimal",
        "is_joint",
        "is_of_domain",
        "is_of_mailbox",
        "sign_at",
    },
    "lacuna.features.hashing": {"finish", "seed", "step", "step_all", "step_lower", "step_shape"},
    "lacuna.features.index": {"may_be_known"},
    "lacuna.inference.chain_kernels": {"add_product"},
    "lacuna.models.crf.elsewhere_phrases": {"most_of"},
    "lacuna.text.word_types": {"slot_of"},
}


def kernels_of(path: Path) -> list[ast.FunctionDef]:
    return [
        node
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(decorator) == "kernel" for decorator in node.decorator_list)
    ]


def test_kernels_call_kernels_of_their_own_file() -> None:
    called: dict[str, set[str]] = {}
    kernels = {
        (module_name(str(path.relative_to(PACKAGE))), kernel.name)
        for path in SOURCES
        for kernel in kernels_of(path)
    }
    for path in SOURCES:
        imported = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in ast.walk(tree(path))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for kernel in kernels_of(path):
            for node in ast.walk(kernel):
                target = imported.get(node.id) if isinstance(node, ast.Name) else None
                if target is not None and target in kernels:
                    called.setdefault(target[0], set()).add(target[1])
    assert called == CALLED_FROM_OTHER_FILES


def imported_modules(path: Path, *, types_too: bool = True) -> set[str]:
    """Return what a file imports, wherever in it: modules, and names in modules."""
    names: set[str] = set()
    only_types = {
        id(inner)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree(path)):
        if id(node) in only_types and not types_too:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def module_name(path: str) -> str:
    return ".".join(["lacuna", *Path(path).with_suffix("").parts]).removesuffix(".__init__")


def reading_paths() -> list[tuple[str, str, list[str]]]:
    """Return the rows of the two tables in docs/architecture.md: table, kinds, files."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    section = page.split("## From a model to its kernel\n")[1].split("\n## ")[0]
    rows = []
    for table in ("Training", "Tagging"):
        lines = section.split(f"{table}:\n\n")[1].split("\n\n")[0].splitlines()[2:]
        for line in lines:
            kinds, files = line.strip("| ").split(" | ")
            rows.append((table, kinds, re.findall(r"`([^`]+)`", files)))
    return rows


@pytest.mark.parametrize(
    ("table", "kinds", "files"), reading_paths(), ids=lambda value: str(value)[:30]
)
def test_a_model_leads_to_its_kernel(table: str, kinds: str, files: list[str]) -> None:
    assert 2 <= len(files) <= MAX_FILES_TO_KERNEL
    assert files[0].startswith("models/")
    for here, following in pairwise(files):
        assert (PACKAGE / following).is_file(), following
        assert module_name(following) in imported_modules(PACKAGE / here), f"{here} → {following}"
    if kinds != "`with-rules`":  # decided by rules, in plain Python
        assert "@kernel" in (PACKAGE / files[-1]).read_text()


def test_every_kind_has_a_reading_path() -> None:
    folders = {path.parent.name for path in (PACKAGE / "models").glob("*/__init__.py")}
    for wanted in ("Training", "Tagging"):
        starts = {files[0].split("/")[1] for table, _, files in reading_paths() if table == wanted}
        assert starts == folders


def test_the_map_in_contributing_is_complete() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    shown = page.split("src/lacuna/\n")[1].split("```")[0]
    names = {line.split()[0].rstrip("/") for line in shown.splitlines() if line[2:3].strip()}
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"}
    files = {path.name for path in PACKAGE.glob("[!_]*.py")}
    assert names == folders | files


def test_the_layers_in_the_documentation_are_these() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    line = page.split("## Layers\n")[1].split("\n\n")[1].replace("\n", " ")
    assert line == " → ".join(f"`{' '.join(row)}`" for row in LAYERS)


def import_graph() -> dict[str, set[str]]:
    """Return which modules a module imports, inside functions too, but not for types alone."""
    modules = {module_name(str(path.relative_to(PACKAGE))): path for path in SOURCES}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        imported = imported_modules(path, types_too=False) & modules.keys()
        # "from lacuna.text import characters" names a folder, but needs only a file of it
        graph[name] = {
            other
            for other in imported - {name}
            if not (modules[other].stem == "__init__" and _imports_only_files_of(path, other))
        }
    return graph


def _imports_only_files_of(path: Path, folder: str) -> bool:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module == folder:
            place = PACKAGE.joinpath(*folder.split(".")[1:])
            if not all((place / f"{alias.name}.py").exists() for alias in node.names):
                return False
    return True


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph, done = import_graph(), set[str]()

    def follow(name: str, way: list[str]) -> None:
        assert name not in way, " → ".join([*way[way.index(name) :], name])
        if name not in done:
            for other in sorted(graph[name]):
                follow(other, [*way, name])
            done.add(name)

    for name in sorted(graph):
        follow(name, [])


def test_a_kind_of_model_imports_no_other_kind() -> None:
    kinds = {path.parent.name for path in (PACKAGE / "models").glob("*/__init__.py")}
    for name, imported in import_graph().items():
        own = name.split(".")[2] if name.startswith("lacuna.models.") else ""
        for other in imported if own in kinds else ():
            folder = other.split(".")[2] if other.startswith("lacuna.models.") else ""
            assert folder not in kinds - {own}, f"{name} imports {other}"
            assert folder != "registry", f"{name} imports the registry"


def test_no_two_modules_have_one_name() -> None:
    """Files with the same role in several folders have one name on purpose."""
    roles = {"__init__", "training", "objective", "storage", "features", "li"}
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        if path.stem not in roles and layer(path) != "cli":
            places.setdefault(path.stem, []).append(str(path.relative_to(PACKAGE)))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def test_lists_of_slow_tests_name_tests() -> None:
    for entry in (*SLOW, *COMPILED_ONLY):
        path, _, name = entry.partition("::")
        assert f"def {name}" in (ROOT / path).read_text("utf-8"), entry
