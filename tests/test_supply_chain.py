"""The locked versions: complete, hashed, from nowhere in particular; and the bill of materials."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def entries(name: str) -> list[str]:
    """The packages of a lock file, each with its hashes in one line."""
    text = (FOLDER / name).read_text("utf-8").replace("\\\n", "")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def locked(name: str) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in entries(name):
        requirement = Requirement(line.partition("--hash")[0])
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


NAMES = ("ci.txt", "integrations.txt", "run.txt")


def declared(*extras: str) -> list[Requirement]:
    project = PROJECT["project"]
    optional = [one for extra in extras for one in project["optional-dependencies"][extra]]
    return [Requirement(text) for text in (*project["dependencies"], *optional)]


@pytest.mark.parametrize("name", NAMES)
def test_every_package_has_one_version_and_hashes(name: str) -> None:
    for entry in entries(name):
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [^-]+)? +(--hash=sha256:[0-9a-f]{64} *)+", entry)


@pytest.mark.parametrize("name", NAMES)
def test_no_server_is_named(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted|@ |/opt|/home", text)


@pytest.mark.parametrize(
    ("name", "extras"),
    [("ci.txt", ("dev", "parquet")), ("integrations.txt", ("integrations",)), ("run.txt", ())],
)
def test_locked_versions_are_allowed_by_the_project(name: str, extras: tuple[str, ...]) -> None:
    found = locked(name)
    build = [Requirement(text) for text in PROJECT["build-system"]["requires"]]
    for requirement in (*declared(*extras), *(build if name == "ci.txt" else ())):
        for pinned in found[canonicalize_name(requirement.name)]:
            (version,) = pinned.specifier
            assert requirement.specifier.contains(version.version), str(pinned)


def test_what_runs_is_what_was_tested() -> None:
    tested = locked("ci.txt")
    for name, versions in locked("run.txt").items():
        assert [str(v.specifier) for v in versions] == [str(v.specifier) for v in tested[name]]


def test_versions_that_files_depend_on_are_bounded() -> None:
    bounded = {one.name for one in declared() if "<" in str(one.specifier)}
    assert bounded >= {"faker", "msgspec", "numba", "numpy", "safetensors"}


def bill(path: Path) -> dict[str, Any]:
    subprocess.run([sys.executable, FOLDER / "sbom.py", path], check=True)
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def test_the_bill_of_materials_lists_all_that_runs(tmp_path: Path) -> None:
    made = bill(tmp_path / "dist" / "lacuna.cdx.json")
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    versions = {one["name"]: one["version"] for one in made["components"]}
    assert versions == {
        name: str(pinned.specifier)[2:]
        for name, several in locked("run.txt").items()
        for pinned in several
        if pinned.marker is None or pinned.marker.evaluate()
    }
    assert all(one["externalReferences"][0]["hashes"] for one in made["components"])
    assert all("licenses" in one for one in made["components"])
    references = {one["bom-ref"] for one in (made["metadata"]["component"], *made["components"])}
    graph = {one["ref"]: set(one["dependsOn"]) for one in made["dependencies"]}
    assert set(graph) == references
    assert set().union(*graph.values()) <= references
    own = graph[made["metadata"]["component"]["bom-ref"]]
    assert {ref.partition("@")[0] for ref in own} == {
        f"pkg:pypi/{canonicalize_name(one.name)}" for one in declared()
    }
    assert bill(tmp_path / "again.json") == made
