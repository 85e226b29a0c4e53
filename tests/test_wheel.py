"""What a user gets: the built wheel in an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent
LOCKED = ROOT / "requirements" / "run.txt"


def run(*command: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [*map(str, command)], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    built = run(*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("lacuna-*.whl")
    return path


def test_wheel_holds_the_bundled_model_and_migrations(wheel: Path) -> None:
    with ZipFile(wheel) as content:
        names = content.namelist()
    for model in ("en-clinical", "en-general", "es-clinical"):
        assert f"lacuna/data/{model}.lacuna" in names
    assert "lacuna/web/migrations/0001.sql" in names


def test_wheel_runs_the_demo_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", environment]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    install = [*pip, "install", "--quiet", "--no-compile"]
    locked = run(*install, "--require-hashes", "--requirement", LOCKED, env=clean)
    if locked.returncode and "CI" not in os.environ:
        pytest.skip("the dependencies of the wheel cannot be installed here")
    assert locked.returncode == 0, locked.stderr
    installed = run(*install, "--no-index", wheel, env=clean)  # nothing else is needed
    assert installed.returncode == 0, installed.stderr
    clean["PYTHONPATH"] = str(ROOT / "tests" / "no_network")
    demo = run(environment / "bin" / "lacuna", "demo", "-n", 20, cwd=tmp_path, env=clean)
    assert demo.returncode == 0, demo.stderr
    assert "⟨" in demo.stdout
    typed = list(environment.glob("lib/*/site-packages/lacuna/py.typed"))
    assert typed
