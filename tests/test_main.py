"""The entry point of the command."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lacuna.__main__ import BLAS_THREADS


@pytest.mark.parametrize("asked", [None, "3"])
def test_matrix_products_use_one_thread_unless_the_user_says_otherwise(asked: str | None) -> None:
    """OpenBLAS reads the variable when numpy is imported."""
    code = (
        "import os, sys, lacuna.__main__ as main; sys.argv = ['lacuna', '--version'];"
        "print('numpy' in sys.modules)\n"
        "try: main.run()\n"
        f"except SystemExit: print(os.environ['{BLAS_THREADS}'])"
    )
    own = {key: value for key, value in os.environ.items() if key != BLAS_THREADS}
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=own if asked is None else {**own, BLAS_THREADS: asked},
    )
    lines = run.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("False", asked or "1")
