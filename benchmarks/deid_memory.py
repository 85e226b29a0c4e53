"""Memory of a large run: resident size of all its processes together, over time.

    python benchmarks/deid_memory.py [--megabytes 1000] [--kind jsonl|csv|folder|note]

Generated notes are repeated, under other ids and patients, until there are enough; ``note`` puts
them all into one document. ``lacuna deid`` runs as a user would run it. Pages that processes share
are counted once (PSS). The curve shows the maximum in each tenth of the run.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from lacuna.synthetic import Split, generate
from lacuna.text.document import Document

SECONDS = 0.5  #: between samples


def main() -> None:
    """Write the input, run over it and print the curve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--kind", choices=["jsonl", "csv", "folder", "note"], default="jsonl")
    parser.add_argument("--notes", type=int, default=3000, help="Generated before repeating.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--policy", default="safe-harbor")
    parser.add_argument("--folder", type=Path, help="Where to work; a temporary one by default.")
    options = parser.parse_args()
    notes = list(generate(options.notes, seed=7, split=Split.TEST))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        place = Path(folder)
        source = write(options.kind, repeated(notes, options.megabytes * 1e6), place)
        command = [sys.executable, "-m", "lacuna", "deid", str(source), "-o", str(place / "safe")]
        command += ["--policy", options.policy, "--workers", str(options.workers)]
        if options.kind == "csv":
            command += ["--id-column", "id", "--group-column", "group"]
        began = time.perf_counter()
        with (place / "said").open("w") as said:
            samples = list(watch(subprocess.Popen(command, stdout=said, stderr=said)))
        seconds = time.perf_counter() - began
        print((place / "said").read_text()[-400:])
    print(
        f"{options.megabytes:,.0f} MB as {options.kind}, {options.workers} workers, {seconds:.0f} s"
    )
    tenths = [samples[len(samples) * i // 10 : len(samples) * (i + 1) // 10] for i in range(10)]
    print("MB in each tenth:", " ".join(f"{max(tenth, default=0):.0f}" for tenth in tenths))
    print(f"most {max(samples):.0f} MB")


def repeated(notes: list[Document], size: float) -> Iterator[Document]:
    """Yield notes, each time of new patients, until they have the given number of bytes."""
    written = 0
    for turn in count():
        for note in notes:
            if written >= size:
                return
            written += len(note.text.encode())
            yield Document(f"{turn}-{note.id}", note.text, group=f"{turn}-{note.group}")


def write(kind: str, notes: Iterable[Document], folder: Path) -> Path:
    """Write notes one by one; return what to run over."""
    source = folder / {"folder": "notes", "note": "notes.txt"}.get(kind, f"notes.{kind}")
    if kind == "folder":
        for number, note in enumerate(notes):
            path = source / str(number // 1000) / f"{note.id}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(note.text)
        return source
    with source.open("w") as stream:
        table = csv.writer(stream)
        if kind == "csv":
            table.writerow(["id", "group", "text"])
        for note in notes:
            if kind == "csv":
                table.writerow([note.id, note.group, note.text])
            elif kind == "note":
                stream.write(note.text)
            else:
                line = {"id": note.id, "group": note.group, "text": note.text}
                stream.write(json.dumps(line) + "\n")
    return source


def watch(run: subprocess.Popen[bytes]) -> Iterator[float]:
    """Yield megabytes of a process and all that it started, until it ends."""
    while run.poll() is None:
        yield sum(map(resident, family(run.pid))) / 1000
        time.sleep(SECONDS)
    assert run.returncode == 0, run.returncode


def family(process: int) -> Iterator[int]:
    """Yield a process, its children, theirs, and so on."""
    yield process
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = thread.read_text().split()
        except OSError:  # gone
            continue
        for child in children:
            yield from family(int(child))


def resident(process: int) -> int:
    """Return kilobytes of a process, its share of what it has in common with others."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # gone
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
