"""How often each known value was found, for the owner only."""

from __future__ import annotations

import csv
import json
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lacuna.archive.known_check import HITS
from lacuna.deid.detection_options import DetectionOptions
from lacuna.deid.known_hits import KnownHits
from lacuna.deid.patient_values import LABELS, read_known
from lacuna.pipeline.detection import open_recognizers
from lacuna.text.document import Document
from tests.archive.conftest import RunOver

KNOWN = """group,kind,value
p1,name,"Okafor, Ana"
p1,name,Xaver Quux
p2,record,12-34-567
,doctor,Dr. Zoë Müller
p2,name,Ben Okafor
"""


@pytest.fixture
def known(tmp_path: Path) -> Path:
    path = tmp_path / "known.csv"
    path.write_text(KNOWN)
    return path


def hits(private: Path) -> dict[str, int]:
    with (private / HITS).open(newline="") as stream:
        return {row["value"]: int(row["found"]) for row in csv.DictReader(stream)}


@pytest.mark.parametrize("workers", [1, 2])
def test_hits_by_value(tmp_path: Path, known: Path, run_over: RunOver, workers: int) -> None:
    notes = {
        "p1/a.txt": "ana okafor saw Zoe Mueller, and Dr. Zoë Müller saw Mrs. Okafor.",
        "p2/a.txt": "MRN 1234567 or 12-34-567; seen by Müller.",
        "p2/b.txt": "No fever.",
    }
    for name, text in notes.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    options = {"known": str(known), "group_from": "^[^/]+", "workers": workers}
    report = run_over(tmp_path / "in", tmp_path / "safe", **options)
    private = tmp_path / "safe.private"
    found = hits(private)
    assert found["Okafor, Ana"] == 2
    assert found["Xaver Quux"] == 0
    assert found["12-34-567"] == 2
    assert found["Dr. Zoë Müller"] >= 2
    assert found["Ben Okafor"] == 0  # another patient
    assert stat.S_IMODE((private / HITS).stat().st_mode) == 0o600
    assert (report.run.known_values, len(report.tally.known_hits)) == (5, 3)
    passed_on = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert (passed_on["known_values"], passed_on["known_values_found"]) == (5, 3)
    assert "known_hits" not in passed_on
    run_over(tmp_path / "in", tmp_path / "safe", **options, resume=True)
    assert hits(private) == found


def every_kind() -> Iterator[tuple[str, str]]:
    values = {
        "name": ("Jane Mary van der Smith-Jones", "Li", "O'Neill, Rose"),
        "phone": ("(617) 555-0134",),
        "date": ("03/14/2014",),
        "email": ("jane.smith@example.org",),
        "address": ("12 Mill Lane, Apt. 3",),
    }
    for kind in LABELS:
        for value in values.get(kind, ("Zq-4471 203",)):
            yield kind, value


@pytest.mark.parametrize(("kind", "value"), [*every_kind()])
def test_whatever_a_value_finds_counts_for_it(tmp_path: Path, kind: str, value: str) -> None:
    path = tmp_path / "known.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("group", "kind", "value"), ("", kind, value)])
    document = Document("d", f"Seen: {value}; {value.upper()}. {value.replace('-', ' ')}")
    options = DetectionOptions(known=str(path), patterns=False)
    findings = open_recognizers(options).findings(document)
    assert findings
    counts = KnownHits(read_known(path)).count(None, document.text, findings)
    assert counts == {"2": len(findings)}
