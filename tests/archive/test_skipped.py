"""Files that are not read: other kinds, links that lead nowhere, paths that do not exist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lacuna.archive.file_kinds import OTHER_KINDS
from lacuna.archive.inputs import SKIPPED, in_words, list_inputs
from lacuna.archive.options import InputOptions
from lacuna.errors import ConfigError
from tests.archive.conftest import RunOver


@pytest.mark.parametrize("suffix", [".docx", ".pdf", ".xlsx", ".rtf"])
def test_one_file_of_another_kind_is_named(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"note{suffix.upper()}"
    path.write_bytes(b"x")
    with pytest.raises(ConfigError) as error:
        list_inputs(path, InputOptions())
    what, advice = OTHER_KINDS[suffix]
    assert str(error.value).startswith(f"{path}: {what} ({suffix}) is not read; {advice}")
    assert "lacuna reads .txt" in str(error.value)


def test_kinds_are_counted_and_only_usual_ones_named(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    for name in ("a.docx", "b.DOCX", "g0/c.pdf", "note.okafor", "noname"):
        (notes / name).write_bytes(b"x")
    report = run_over(notes, tmp_path / "safe")
    what = "files of a kind that is not read (.docx 2, .pdf 1, others 2)"
    assert report.run.left_aside == {what: 5}
    written = json.loads((tmp_path / "safe" / "report.json").read_text())
    assert "okafor" not in json.dumps(written["left_aside"])
    assert in_words(what, 5) == f"5 {what}"


def test_singular_and_plural() -> None:
    for plural, singular in SKIPPED.items():
        assert in_words(plural, 1) == f"1 {singular}"
        assert in_words(plural, 2000) == f"2,000 {plural}"
    one = in_words("files of a kind that is not read (.pdf 1)", 1)
    assert one == "1 file of a kind that is not read (.pdf 1)"


def test_links_that_lead_in_circles_are_skipped(
    notes: Path, tmp_path: Path, run_over: RunOver
) -> None:
    (notes / "self.txt").symlink_to("self.txt")
    (notes / "a.txt").symlink_to("b.txt")
    (notes / "b.txt").symlink_to("a.txt")
    (notes / "g0" / "up").symlink_to(notes)
    (notes / "gone.txt").symlink_to("nothing.txt")
    report = run_over(notes, tmp_path / "safe")
    assert report.run.left_aside == {"entries that are not files": 5}
    assert report.tally.documents == 12
    assert report.tally.failed == 0


def test_a_path_that_does_not_exist_is_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="notess: no such file or folder"):
        list_inputs(tmp_path / "notess", InputOptions())


def test_nothing_to_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing to read; the folder is empty"):
        list_inputs(tmp_path, InputOptions())
    (tmp_path / "a.pdf").write_bytes(b"x")
    with pytest.raises(ConfigError, match=r"skipped: 1 file of a kind that is not read \(.pdf 1\)"):
        list_inputs(tmp_path, InputOptions())
    (tmp_path / "a.txt").write_bytes(b"x")
    with pytest.raises(ConfigError, match="--include and --exclude"):
        list_inputs(tmp_path, InputOptions(exclude=("*",)))
