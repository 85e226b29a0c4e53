"""Killing a run at random moments and continuing it, as often as asked.

``python -m tests.archive.kills 50`` is the long form (``make stress``).
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lacuna.archive.options import ArchiveOptions
from lacuna.archive.run import run_archive
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.policy import load_policy
from tests.archive.conftest import KEY, contents, deid, tiny_model
from tests.models.examples import corpus

FILES = 240
GROUP = r"^p\d+"
WHILE_STARTING = 0.2


def write_notes(folder: Path) -> None:
    """Write notes of eighty patients."""
    for number, document in enumerate(corpus(FILES, seed=9, sentences=30)):
        path = folder / f"p{number // 3}" / f"{document.id}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document.text)


def kill_and_continue(model: Path, folder: Path, times: int, seed: int) -> int:
    """Kill a run so often, check what is there each time, then let it finish.

    A run that is done before it is killed is checked, and done again from the start. The number of
    workers changes from run to run; what is written does not. Returns how many runs were whole.
    """
    notes, safe, key = folder / "notes", folder / "safe", folder / "key"
    manifest = folder / "safe.private" / "manifest.jsonl"
    write_notes(notes)
    key.write_bytes(KEY.secret)
    run_undisturbed(model, notes, folder / "undisturbed")
    expected = contents(folder / "undisturbed")
    command = [*deid(model), str(notes), "-o", str(safe), "--policy", "research"]
    command += ["--key", str(key), "--group-from", GROUP]
    rng = random.Random(seed)
    killed = whole = 0
    while True:
        resume = ["--resume"] if manifest.exists() else []
        run = subprocess.Popen(
            [*command, *resume, "--workers", rng.choice("112")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if killed < times and is_killed(run, safe, rng):
            killed += 1
            check(safe, expected)
            continue
        assert run.wait() == 0
        assert contents(safe) == expected
        assert crosswalk(safe) == crosswalk(folder / "undisturbed")
        whole += 1
        if killed == times:
            return whole
        shutil.rmtree(safe)
        shutil.rmtree(manifest.parent)


def is_killed(run: subprocess.Popen[bytes], safe: Path, rng: random.Random) -> bool:
    """Kill a run while it starts, or soon after a random output; return whether it was there."""
    if rng.random() < WHILE_STARTING:
        time.sleep(rng.uniform(0, 2))
    else:
        wait_for_outputs(run, safe, finished(safe) + rng.randrange(FILES // 4))
        time.sleep(rng.uniform(0, 0.02))
    run.kill()
    return run.wait() == -signal.SIGKILL


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
    return sum(1 for _ in safe.glob("*/*.txt"))


def crosswalk(safe: Path) -> list[str]:
    """Return the lines of the crosswalk, in order of the inputs."""
    text = (safe.with_name(f"{safe.name}.private") / "crosswalk.csv").read_text()
    return sorted(text.splitlines())


def wait_for_outputs(run: subprocess.Popen[bytes], safe: Path, count: int) -> None:
    """Wait until there are more than `count` outputs, or the run has ended."""
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
        runs = kill_and_continue(place / "tiny.lacuna", place, rounds, seed=1)
        sys.stdout.write(f"killed {rounds} times; the same bytes at the end of {runs} runs\n")
