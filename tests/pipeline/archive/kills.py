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

from lacuna.deid.policy import load_policy
from lacuna.pipeline.archive.run import ArchiveOptions, run_archive
from lacuna.pipeline.detecting import DetectionOptions
from tests.models.examples import corpus
from tests.pipeline.archive.conftest import KEY, contents, deid, tiny_model

FILES = 240
GROUP = r"^p\d+"


def write_notes(folder: Path) -> None:
    """Write notes of eighty patients."""
    for number, document in enumerate(corpus(FILES, seed=9, sentences=30)):
        path = folder / f"p{number // 3}" / f"{document.id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text)


def kill_and_continue(model: Path, folder: Path, times: int, seed: int) -> int:
    """Kill a run so often, check what is there each time, then let it finish.

    The number of workers changes from run to run; what is written does not. Returns how often it
    was killed before it was done.
    """
    notes, safe, key = folder / "notes", folder / "safe", folder / "key"
    write_notes(notes)
    key.write_bytes(KEY.secret)
    run_undisturbed(model, notes, folder / "undisturbed")
    expected = contents(folder / "undisturbed")
    command = [*deid(model), str(notes), "-o", str(safe), "--policy", "research"]
    command += ["--key", str(key), "--group-from", GROUP]
    rng = random.Random(seed)
    killed = 0
    for _ in range(times):
        resume = ["--resume"] if (safe / "manifest.jsonl").exists() else []
        run = subprocess.Popen(
            [*command, *resume, "--workers", rng.choice("112")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for_outputs(run, safe, finished(safe) + rng.randrange(FILES // times))
        time.sleep(rng.uniform(0, 0.02))
        if run.poll() is None:
            run.kill()
            killed += 1
        run.wait()
        check(safe, expected)
    subprocess.run([*command, "--resume"], check=True, capture_output=True)
    assert contents(safe) == expected
    return killed


def run_undisturbed(model: Path, notes: Path, output: Path) -> None:
    """Do the same run in one go, in this process."""
    run_archive(
        ArchiveOptions(
            input=notes,
            output=output,
            detection=DetectionOptions(model=str(model)),
            policy=load_policy("research"),
            key=KEY,
            group_from=GROUP,
            workers=1,
        )
    )


def finished(safe: Path) -> int:
    """Return how many outputs have their final names."""
    return sum(1 for _ in safe.glob("p*/d*.txt"))


def wait_for_outputs(run: subprocess.Popen[bytes], safe: Path, count: int) -> None:
    """Wait until there are more than so many outputs, or the run has ended."""
    while run.poll() is None and finished(safe) <= count:
        time.sleep(0.005)


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
