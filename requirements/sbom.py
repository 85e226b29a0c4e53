"""Write what lacuna depends on as a software bill of materials (CycloneDX 1.6, JSON).

    make sbom

Versions and hashes are those of ``requirements/run.txt`` for this Python and platform; licences and
dependencies come from the installed packages. The same environment gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

LOCK = Path(__file__).with_name("run.txt")
OWN = "lacuna"


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("output", type=Path, nargs="?", default=Path("dist/lacuna.cdx.json"))
    output = parser.parse_args().output
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps(bill(LOCK), indent=2) + "\n", "utf-8")


def bill(lock: Path) -> dict[str, Any]:
    """Return the bill of materials as JSON values."""
    locked = {canonicalize_name(one.name): (one, hashes) for one, hashes in pinned(lock)}
    own = component(OWN, distribution(OWN).version, [], kind="application")
    components = [
        component(name, str(one.specifier)[2:], hashes) for name, (one, hashes) in locked.items()
    ]
    references = {canonicalize_name(c["name"]): c["bom-ref"] for c in (own, *components)}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": own},
        "components": components,
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(references[n] for n in needed(name) if n in locked)}
            for name, ref in references.items()
        ],
    }


def pinned(lock: Path) -> Iterator[tuple[Requirement, list[str]]]:
    """Yield the requirements of a lock file that apply here, and the SHA-256 of their files."""
    lines = lock.read_text("utf-8").replace("\\\n", " ").splitlines()
    for line in filter(None, (line.partition("#")[0].strip() for line in lines)):
        text, *hashes = re.split(r"\s+--hash=sha256:", line)
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate():
            yield requirement, [one.strip() for one in hashes]


def component(
    name: str, version: str, hashes: list[str], *, kind: str = "library"
) -> dict[str, Any]:
    """Return one package; its files, one for each platform, are told by their hashes."""
    purl = f"pkg:pypi/{canonicalize_name(name)}@{version}"
    found: dict[str, Any] = {
        "type": kind,
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
    }
    if licence := licence_of(installed(name)):
        found["licenses"] = [licence]
    if hashes:
        files = [{"alg": "SHA-256", "content": one} for one in hashes]
        url = f"https://pypi.org/project/{name}/{version}/#files"
        found["externalReferences"] = [{"type": "distribution", "url": url, "hashes": files}]
    return found


def licence_of(package: Distribution | None) -> dict[str, Any] | None:
    """Return the licence of a package as its metadata gives it: an expression, or a name."""
    if package is None:
        return None
    metadata = package.metadata
    if expressions := metadata.get_all("License-Expression"):
        return {"expression": expressions[0]}
    classifiers = metadata.get_all("Classifier") or []
    names = [c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License :: ")]
    texts = metadata.get_all("License") or [""]
    name = " AND ".join(names) or texts[0].split("\n")[0]
    return {"license": {"name": name}} if name else None


def needed(name: str) -> Iterator[NormalizedName]:
    """Yield the names of the packages that a package requires here, extras left out."""
    package = installed(name)
    for text in (package.requires if package is not None else None) or []:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def installed(name: str) -> Distribution | None:
    """Return an installed package, if there is one of this name."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
