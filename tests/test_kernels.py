"""Compiled code works without a cache, and the cache notices changes."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import lacuna

MODULE = """
from lacuna.kernels import kernel

@kernel
def add(a, b):
    return a + b
"""


def run_module(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call the kernel in a new process, with the module in `folder`."""
    return subprocess.run(
        [sys.executable, "-c", "import adding; print(adding.add(1, 2))"],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_kernel_is_cached_beside_the_source(tmp_path: Path) -> None:
    (tmp_path / "adding.py").write_text(MODULE)
    run = run_module(tmp_path)
    assert run.stdout == "3\n", run.stderr
    assert list((tmp_path / "__pycache__").glob("adding.add-*.nbi"))


def test_compiling_is_announced_once_and_loading_is_not(tmp_path: Path) -> None:
    (tmp_path / "adding.py").write_text(
        MODULE + "from lacuna.kernels import before_compiling\n"
        "before_compiling(lambda: print('compiling'))\nadd(1.0, 2.0)\n"
    )
    assert run_module(tmp_path).stdout == "compiling\n3\n"
    assert run_module(tmp_path).stdout == "3\n"


def test_kernel_compiles_without_a_cache_where_package_and_home_are_read_only(
    tmp_path: Path,
) -> None:
    # A file in the place of each cache folder stops even root from creating it.
    package, home = tmp_path / "package", tmp_path / "home"
    package.mkdir()
    (package / "adding.py").write_text(MODULE)
    (package / "__pycache__").write_text("")
    home.write_text("")
    run = run_module(package, HOME=str(home), XDG_CACHE_HOME=str(home))
    assert run.stdout == "3\n", run.stderr


def test_our_own_processes_start_without_scipy(tmp_path: Path) -> None:
    (tmp_path / "adding.py").write_text(
        "from lacuna.kernels import load_without_blas\nload_without_blas()\n" + MODULE
    )
    script = (
        "import sys, adding; print(adding.add(1, 2), 'scipy.linalg' in sys.modules);"
        " import scipy.linalg"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.stdout == "3 False\n", run.stderr
    assert not run.stderr


#: Kernels that kernels of other files may call, see docs/decisions.md.
SHARED = {
    "lacuna.features.hashing": None,  # all of them
    "lacuna.features.index": {"may_be_known"},
    "lacuna.inference.chain_kernels": {"add_product"},
}


def test_kernels_call_few_kernels_of_other_files() -> None:
    """A change in a called file leaves stale compiled code of the caller in numba's cache."""
    root = Path(lacuna.__file__).parent
    trees = {path: ast.parse(path.read_text()) for path in root.rglob("*.py")}
    kernels = {_module(path, root): {k.name for k in _kernels(trees[path])} for path in trees}
    for path, tree in trees.items():
        imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name in kernels.get(node.module or "", ())
        }
        for function in _kernels(tree):
            names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            for module, name in (imported[used] for used in names & imported.keys()):
                allowed = SHARED.get(module or "", set())
                assert allowed is None or name in allowed, f"{path}: {function.name} calls {name}"


def _module(path: Path, root: Path) -> str:
    parts = ("lacuna", *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


def _kernels(tree: ast.Module) -> list[ast.FunctionDef]:
    return [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(mark, ast.Name) and mark.id == "kernel" for mark in node.decorator_list)
    ]
