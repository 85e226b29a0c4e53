"""Compiled code works without a cache, and the cache notices changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
