"""Whether two checkouts do the same for users, and how fast each is.

::

    python benchmarks/unchanged.py record OLD old-results
    python benchmarks/unchanged.py record NEW new-results --data old-results
    python benchmarks/unchanged.py compare old-results new-results
    python benchmarks/unchanged.py speed OLD NEW [--rounds 5]

OLD and NEW are checkouts. Nothing of lacuna is imported: everything goes through the command line
and is read back from files, so that modules may be moved at will. ``record`` takes some minutes,
longer where kernels have to be compiled first. ``--data`` takes the documents of another record;
what ``lacuna generate`` makes is compared all the same. ``compare`` ends with exit code 1 where
anything differs; what ``inspect`` and ``report.html`` say may change its wording and never counts.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from filecmp import cmp
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from safetensors import safe_open

TOLERANCE, SMALLEST = 1e-6, 1e-12  #: numbers are the same within this, relative or absolute
SHOWN = 50  #: differences of one file that are listed
ABSENT = ()  #: what has no value
#: Differences that are meant: a pattern, as "models/*.lacuna:.header.card.version", and the reason.
ALLOWED: dict[str, str] = {
    "*.config.lists": "the setting is called word_lists",
    "*.config.word_lists": "the setting was called lists",
    "other/rules.toml:": "a comment at the head of the file was reworded",
}
#: Keys that are never compared: what a run needed, the version, the hash of a model file (the file
#: itself is compared).
VOLATILE = frozenset({"seconds", "tokens_per_second", "peak_memory_mb", "lacuna", "sha256"})
WORDING = ("*.inspect.txt", "*/report.html")  #: of these is only said that they differ

GENERATED = {
    "train": "-n 40 --seed 1",
    "test": "-n 25 --seed 2 --split test",
    "notes": "-n 300 --seed 3 --split test",
    "adapt": "-n 20 --seed 4 --split all",
    "findings": "-n 60 --seed 5 --findings --clean",
    "calibration": "-n 120 --seed 6 --split test",
}
TERMS = {"always": "aspirin\nchest pain", "never": "Monday\nMay", "staff": "Lee"}
GOLDEN_TEXT = "Seen by Dr. Zola Wexler in Arden.\nAna Vogel - (Fossa) - 12/3 東京 \U0001f600"
WORDS = "the/DT a/DT this/DT small/JJ left/JJ acute/JJ pain/NN arm/NN walk/NN fall/NN walk/VB"
WORDS += " fall/VB sees/VB slowly/RB often/RB 2/CD 14/CD three/CD ./."
SENTENCES = ("DT JJ NN VB RB .", "DT NN VB DT NN .", "CD JJ NN VB .", "VB DT JJ JJ NN", "NN VB CD")


class Case(NamedTuple):
    """A model to train: the options of ``train``, and documents to learn from and to try it on."""

    options: str
    train: str = "train.jsonl"
    test: str = "test.jsonl"
    again: str = ""  #: options of ``tag`` and ``evaluate``, for a second try


GAPPED = ("gapped-train.jsonl", "gapped-test.jsonl")
POS = ("pos-train.conll", "pos-test.conll")
DP_HMM = "--model dp-hmm --set iterations=3 --set subtags.outside=6 --set subtags.entity=2"
MODELS = {
    "crf": Case("--set iterations=8"),
    "pos": Case("--task pos", *POS),
    "clinical": Case("--set features=clinical --set sequence=line --set iterations=5"),
    "li": Case("--model li --set iterations=20", *GAPPED, "--heuristic all"),
    "shared": Case("--model shared --set iterations=20", *GAPPED, "--heuristic all"),
    "split": Case("--model split --set iterations=20", *GAPPED, "--heuristic all"),
    "dp-hmm": Case(DP_HMM),
    "dp-hmm-rerank": Case(f"{DP_HMM} --set rerank=5"),
    "class-hmm": Case("--model class-hmm --set iterations=6 --set states=2"),
    "ppm-hmm": Case("--model ppm-hmm"),
    "trigram-hmm": Case("--model trigram-hmm"),
    "aligned": Case("--model trigram-hmm --align", again="--no-align"),
    "with-rules": Case("--set level=category --categories i2b2-2014 --set iterations=5"),
    "two-pass": Case("--set two_pass=true --set iterations=8"),
    "private": Case("--private --set iterations=5"),
}
LATER_MODELS = {  # that need some of the others
    "with-pos": Case("--pos models/pos.lacuna --set iterations=5"),
    "adapted": Case("--from models/crf.lacuna --set iterations=5", "adapt.jsonl"),
}
KEYED = "--key data/study.key"
FOLDER_RUN = f"data/notes {KEYED} --group-from ^[^/]+ --workers 1"
DEID = {
    f"{policy}-{consistency}": f"{FOLDER_RUN} --policy {policy} --consistency {consistency}"
    for policy in ("mask", "safe-harbor", "research")
    for consistency in ("patient", "document", "none")
} | {
    "csv": f"data/notes.csv {KEYED} --policy research --id-column id --group-column patient"
    " --keep-columns ward --locale de",
    "jsonl": f"data/notes.jsonl {KEYED} --workers 2",
    "terms": f"{FOLDER_RUN} --known data/known.csv --always data/always.txt --rename hash"
    " --never data/never.txt --lists DOCTOR=data/staff.txt --threshold 0.2",
    "vault": f"{FOLDER_RUN} --vault deid.vault",
    "promised": f"data/notes.jsonl {KEYED} --model other/calibrated.lacuna --max-missed 0.05",
}
OTHER = (
    "calibrate data/bundled.lacuna data/calibration.jsonl --max-missed 0.05 --max-missed 0.1"
    " -o other/calibrated.lacuna --json > other/calibrate.json",
    "cluster data/train.jsonl -o other/words.paths --clusters 50 --json > other/cluster.json",
    "stats data/findings.jsonl --json > other/stats.json",
    "ambiguity --json > other/structures.json",
    "ambiguity data/findings.jsonl --labels FINDING --json > other/ambiguity.json",
    "convert data/findings.jsonl other/brat --to brat",
    "convert data/train.jsonl other/train.conll --to conll --loss mentions",
    f"deid - {KEYED} --policy research < data/one.txt > other/stdin.txt",
)
AFTERWARDS = (
    "score data/test.jsonl models/crf.jsonl --intervals --per-document --json > other/score.json",
    "score data/test.jsonl models/crf.jsonl --against models/ppm-hmm.jsonl --json > other/2.json",
    "score data/test.jsonl models/crf.jsonl --agreement --json > other/agreement.json",
    "inspect models/with-rules.lacuna --rules other/rules.toml > other/rules.inspect.txt",
    "inspect models/dp-hmm.lacuna --corpus data/test.jsonl --json > other/states.json",
    "restore deid.vault deid/vault -o restored",
)
SPEED = {
    "train": "train train.jsonl -o timed{which}.lacuna --set iterations=15",
    "tag": "tag timed{which}.lacuna n.jsonl -o found.jsonl",
    "deid": "deid n.jsonl -o safe --workers 1",
    "patients": "deid patients.jsonl -o safe --workers 1",
    "load": "deid one.jsonl -o safe --workers 1",
}
#: What takes as long for one document as for many; it is subtracted from these.
LOAD, LOADED = "load", ("deid", "patients")


class Checkout(NamedTuple):
    """The commands of one checkout, run in a folder."""

    root: Path
    folder: Path

    def started(self, arguments: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
        """Start Python; the width of tables and the number of threads are always the same."""
        own = {"PYTHONPATH": str(self.root / "src"), "LACUNA_PASSPHRASE": "a passphrase"}
        env = os.environ | own | {"COLUMNS": "200", "NO_COLOR": "1", "LACUNA_THREADS": "2"}
        return subprocess.Popen([sys.executable, *arguments], cwd=self.folder, env=env, **streams)

    def run(self, *commands: str) -> None:
        """Run commands, with < and > as in a shell; leave where one fails."""
        began = time.perf_counter()
        for command in commands:
            arguments, _, output = command.partition(" > ")
            arguments, _, source = arguments.partition(" < ")
            content = (self.folder / source).read_bytes() if source else b""
            pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            process = self.started(["-m", "lacuna", *arguments.split()], **pipes)
            written, errors = process.communicate(content)
            if process.returncode:
                said = errors.decode().strip().splitlines() or ["?"]
                raise SystemExit(f"failed in {self.root}: lacuna {command}: {said[-1]}")
            if output:
                (self.folder / output).write_bytes(written)
        print(f"{time.perf_counter() - began:5.1f} s  {commands[0][:80]}", flush=True)

    def check(self) -> None:
        """Leave unless the commands really are those of this checkout."""
        code = ["-c", "import lacuna; print(lacuna.__file__)"]
        place = self.started(code, stdout=subprocess.PIPE).communicate()[0].decode().strip()
        if not Path(place).resolve().is_relative_to(self.root / "src"):
            raise SystemExit(f"{self.root} is not what is run, but {place or 'nothing'}")


def record(root: Path, folder: Path, data: Path | None) -> None:
    """Write to `folder` what a checkout does."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty")
    for name in ("generated", "models", "golden", "deid", "other"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    checkout = Checkout(root.resolve(), folder.resolve())
    checkout.check()
    checkout.run(*(f"generate {how} -o generated/{to}.jsonl" for to, how in GENERATED.items()))
    shutil.copy(next((root / "src").rglob("en-clinical.lacuna")), folder / "bundled.lacuna")
    if data is None:
        write_data(root, folder)
    else:
        shutil.copytree(data / "data", folder / "data")
    texts = "data/golden-text.jsonl data/train.jsonl"
    golden = [f"golden/{path.name}" for path in (folder / "data/golden").iterdir()]
    stages = (
        [*([command] for command in OTHER), *(model_commands(*item) for item in MODELS.items())],
        [model_commands(*item) for item in LATER_MODELS.items()]
        + [[f"tag data/{x} {texts} -o {x}.jsonl --probabilities"] for x in golden]
        + [[f"deid {options} -o deid/{name}"] for name, options in DEID.items()],
        [[command] for command in AFTERWARDS],
    )
    for stage in stages:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda commands: checkout.run(*commands), stage))
    (folder / "deid.vault").unlink()  # random by intention; what it restored is compared
    print(f"{sum(path.is_file() for path in folder.rglob('*')):,} files in {folder}")


def model_commands(name: str, case: Case) -> list[str]:
    """Return how to train a model, tag and evaluate with it, and inspect it."""
    test, stem, model = f"data/{case.test}", f"models/{name}", f"models/{name}.lacuna"
    commands = [f"train data/{case.train} -o {model} {case.options} --json > {stem}.train.json"]
    for end, options in (("", ""), (".again", case.again))[: 2 if case.again else 1]:
        commands += [
            f"tag {model} {test} -o {stem}{end}.jsonl --probabilities {options}",
            f"evaluate {model} {test} {options} --json > {stem}.evaluate{end}.json",
        ]
    return [*commands, f"inspect {model} > {stem}.inspect.txt"]


def write_data(root: Path, folder: Path) -> None:
    """Write the documents that everything is tried on: generated ones and others."""
    data, rng = folder / "data", random.Random(7)
    shutil.copytree(folder / "generated", data)
    (data / "golden").mkdir()
    for path in (root / "tests").rglob("golden/*.lacuna"):
        shutil.copy(path, data / "golden")
    shutil.copy(folder / "bundled.lacuna", data)
    (data / "study.key").write_bytes(bytes(range(32)))
    (data / "golden-text.jsonl").write_text(json.dumps({"id": "golden", "text": GOLDEN_TEXT}))
    for name, count in zip(GAPPED, (140, 60), strict=True):
        gapped = [json.dumps(gapped_note(f"n{number}", rng)) for number in range(count)]
        (data / name).write_text("\n".join(gapped))
    for name, count in zip(POS, (200, 60), strict=True):
        (data / name).write_text("\n".join(tagged_sentence(rng) for _ in range(count)))
    notes = [json.loads(line) for line in (data / "notes.jsonl").read_text().splitlines()]
    rows, known = [["id", "patient", "ward", "other", "text"]], [["group", "kind", "value"]]
    for number, note in enumerate(notes):
        text, group = note["text"], note["group"]
        path = data / "notes" / group / f"{note['id']}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")
        rows.append([note["id"], group, f"W{number % 7}", "dropped", text])
        spans = [m["spans"][0] for m in note["mentions"] if m["label"] == "PATIENT"]
        known += [[group, "name", " ".join(text[a:b].split())] for a, b in spans[:1]]
    (data / "one.txt").write_text(notes[0]["text"], newline="")
    for table, to in ((rows, "notes.csv"), (known[:100], "known.csv")):
        with (data / to).open("w", newline="") as stream:
            csv.writer(stream).writerows(table)
    for to, terms in TERMS.items():
        (data / f"{to}.txt").write_text(f"{terms}\n")


def gapped_note(id_: str, rng: random.Random) -> dict[str, Any]:
    """Return a note whose mentions share words, have gaps or lie inside one another."""
    text, mentions = "", []
    for _ in range(rng.randrange(1, 4)):
        side = rng.choice(("left", "right", "severe"))
        parts = rng.sample(("arm", "leg", "neck", "back", "jaw", "foot"), 3)
        begin = len(text) + 4
        text += "Has {} pain in {}, {} and {} today. ".format(side, *parts)
        for part in parts[: rng.randrange(1, 4)]:
            start = text.index(f" {part}", begin) + 1
            end = start + len(part)
            gap = [[begin, begin + len(f"{side} pain in")], [start, end]]
            spans = [[begin, end]] if part == parts[0] else gap
            mentions += [("FINDING", spans), ("BODY", [[start, end]])]
    records = [{"label": label, "spans": spans} for label, spans in mentions]
    return {"id": id_, "text": text, "mentions": records}


def tagged_sentence(rng: random.Random) -> str:
    """Return a sentence in conll, its last column a part of speech."""
    words = [word.split("/") for word in WORDS.split()]
    tags = rng.choice(SENTENCES).split()
    return "".join(f"{rng.choice([w for w, t in words if t == tag])} {tag}\n" for tag in tags)


def compare(old: Path, new: Path) -> int:
    """Print in what two records differ; return the exit code."""
    names = {p.relative_to(f).as_posix() for f in (old, new) for p in f.rglob("*") if p.is_file()}
    counts: Counter[str] = Counter()
    for name in sorted(names):
        paths = old / name, new / name
        is_same_file = all(p.exists() for p in paths) and cmp(*paths, shallow=False)
        found = [] if is_same_file else list(differences("", *map(content, paths)))
        reasons = [matching(f"{name}:{where}", ALLOWED) for where, _ in found]
        kind = "differ" if not all(reasons) else "differ as allowed" if found else "same content"
        kind = "byte identical" if is_same_file else kind
        kind = "differ in wording" if found and matching(name, WORDING) else kind
        counts[kind] += 1
        if found or (name.endswith(".lacuna") and not is_same_file):
            print(f"{name}: {kind}, {len(found):,} differences")
        for (where, what), reason in list(zip(found, reasons, strict=True))[:SHOWN]:
            print(f"    {where}: {what}" + (f" (allowed: {ALLOWED[reason]})" if reason else ""))
    print(f"{len(names):,} files: {', '.join(f'{n:,} {kind}' for kind, n in counts.items())}")
    return 1 if counts["differ"] else 0


def matching(name: str, patterns: Iterable[str]) -> str:
    """Return the first pattern that a name matches, or nothing."""
    return next((pattern for pattern in patterns if fnmatchcase(name, pattern)), "")


def content(path: Path) -> Any:
    """Return what a file says as values to compare, without times; nothing if it is not there."""
    if not path.exists():
        return ABSENT
    if path.suffix == ".lacuna":
        with safe_open(path, "np") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return {"header": json.loads(file.metadata()["lacuna"]), "array": arrays}
    text = path.read_bytes().decode()
    if path.suffix == ".json":
        return json.loads(text)
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line]
    return re.sub(r"<td>(seconds|tokens per second|lacuna)</td><td[^>]*>[^<]*</td>", "", text)


def differences(where: str, old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """Yield where values differ, and how; whole numbers must be equal, others nearly."""
    types = (type(old), type(new))
    if types == (dict, dict):
        for key in sorted((old.keys() | new.keys()) - VOLATILE):
            yield from differences(f"{where}.{key}", old.get(key, ABSENT), new.get(key, ABSENT))
    elif types == (list, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(f"{where}[{index}]", before, after)
    elif types == (np.ndarray, np.ndarray) and (old.dtype, old.shape) == (new.dtype, new.shape):
        near = np.isclose(new, old, rtol=TOLERANCE, atol=SMALLEST) | (new == old)
        if count := np.sum(~near if old.dtype.kind == "f" else new != old):
            yield where, f"{count:,} of {old.size:,} numbers"
    elif types[0] in (int, float) and types[1] in (int, float) and float in types:
        if not math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=SMALLEST):
            yield where, f"{old!r}, now {new!r}"
    elif types[0] is not types[1] or types[0] is np.ndarray or old != new:
        yield where, f"{shown(where, old)}, now {shown(where, new)}"


def shown(where: str, value: Any) -> str:
    """Return a value to be printed; a text that may be that of a note is not."""
    is_quoted = where.startswith(".header") or not isinstance(value, str | list | dict)
    return f"{value!r:.60}" if is_quoted else f"{type(value).__name__} of {len(value):,}"


def speed(old: Path, new: Path, rounds: int, commands: Sequence[str]) -> None:
    """Print how long training, tagging and de-identification take in two checkouts.

    De-identification is timed without loading: the time for one note is subtracted.
    """
    with tempfile.TemporaryDirectory() as folder:
        both = [Checkout(root.resolve(), Path(folder)) for root in (old, new)]
        for checkout in both:
            checkout.check()
        both[0].run(
            "generate -n 100 -o train.jsonl", "generate -n 4000 --split test -o patients.jsonl"
        )
        notes = [json.loads(line) for line in (Path(folder) / "patients.jsonl").open()]
        _write_alone(Path(folder) / "n.jsonl", notes)
        _write_alone(Path(folder) / "one.jsonl", notes[:1])
        took: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for number in range(rounds + 1):
            for name in commands:
                command = SPEED[name]
                for which in (0, 1) if number % 2 else (1, 0):
                    for left in ("safe", "safe.private"):
                        shutil.rmtree(Path(folder) / left, ignore_errors=True)
                    seconds = timed(both[which], command.format(which=which))
                    if number:  # the first round may compile
                        took.setdefault((name, which), []).append(seconds)
    print(f"medians of {rounds} rounds {'old':>10} {'new':>8} {'new/old':>8}")
    for name, (i, what) in product(commands, enumerate(("wall", "processor"))):
        took_each = (median(t[i] for t in took[name, which]) for which in (0, 1))
        is_loaded = name in LOADED and LOAD in commands
        load = [median(t[i] for t in took[LOAD, which]) if is_loaded else 0.0 for which in (0, 1)]
        before, after = (seconds - own for seconds, own in zip(took_each, load, strict=True))
        print(f"{name:8} {what + ' s':13} {before:8.2f} {after:8.2f} {after / before:8.3f}")


def _write_alone(path: Path, notes: Iterable[dict[str, Any]]) -> None:
    """Write notes that belong to no patient."""
    path.write_text(
        "".join(json.dumps({k: note[k] for k in ("id", "text")}) + "\n" for note in notes)
    )


def timed(checkout: Checkout, command: str) -> tuple[float, float]:
    """Return the seconds of a command by the clock, and of it and its workers on processors."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    began = time.perf_counter()
    process = checkout.started(["-m", "lacuna", *command.split()], **silent)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"failed in {checkout.root}: lacuna {command}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def main() -> int:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("command", choices=("record", "compare", "speed"))
    parser.add_argument("first", type=Path, help="a checkout; compare: the old record")
    parser.add_argument("second", type=Path, help="speed: a checkout; else a record")
    parser.add_argument("--data", type=Path, help="record: take the documents of this record")
    parser.add_argument("--rounds", type=int, default=5, help="speed: so many")
    parser.add_argument("--only", nargs="+", choices=SPEED, default=(), help="speed: of these")
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.first, options.second)
    if options.command == "record":
        record(options.first, options.second, options.data)
    else:
        chosen = [name for name in SPEED if name in options.only or not options.only]
        speed(options.first, options.second, options.rounds, chosen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
