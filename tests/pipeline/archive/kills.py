"""Killing a run at random moments and continuing it, as often as asked.

``python -m tests.pipeline.archive.kills 50`` is the long form (``make stress``).
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.models.examples import corpus
from tests.pipeline.archive.conftest import contents, deid, tiny_model

FILES = 240


def write_notes(folder: Path) -> None:
    """Write notes of eighty patients."""
    for number, document in enumerate(corpus(FILES, seed=9, sentences=30)):
        path = folder / f"p{number // 3}" / f"{document.id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text)


def kill_and_continue(model: Path, folder: Path, times: int, seed: int) -> int:
    """Kill a run so often, check what is there each time, then let it finish.

    The number of workers changes from run to run; what is written does not.

    Returns how often it was killed before it was done.
    """
    notes, undisturbed, safe = folder / "notes", folder / "undisturbed", folder / "safe"
    write_notes(notes)
    key = folder / "key"
    key.write_bytes(bytes(range(32)))
    command = [*deid(model), str(notes), "--policy", "research", "--key", str(key)]
    command += ["--group-from", r"^p\d+"]
    began = time.monotonic()
    subprocess.run(
        [*command, "-o", str(undisturbed), "--workers", "1"], check=True, capture_output=True
    )
    seconds = time.monotonic() - began
    expected = contents(undisturbed)
    rng = random.Random(seed)
    killed = 0
    for _ in range(times):
        resume = ["--resume"] if (safe / "manifest.jsonl").exists() else []
        run = subprocess.Popen(
            [*command, "-o", str(safe), *resume, "--workers", rng.choice("112")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            run.wait(timeout=rng.uniform(0.3, 1.0) * seconds)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            killed += 1
        check(safe, expected)
    resume = ["--resume"] if (safe / "manifest.jsonl").exists() else []
    subprocess.run([*command, "-o", str(safe), *resume], check=True, capture_output=True)
    assert contents(safe) == expected
    return killed


def check(safe: Path, expected: dict[str, bytes]) -> None:
    """What has a final name is whole and right."""
    for name, content in contents(safe).items() if safe.exists() else ():
        if not name.rpartition("/")[2].startswith("."):
            assert content == expected[name]
        else:
            assert name.endswith(".part")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        tiny_model(place / "tiny.lacuna")
        rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
        count = kill_and_continue(place / "tiny.lacuna", place, rounds, seed=1)
        sys.stdout.write(f"killed {count} times; the same bytes in the end\n")
