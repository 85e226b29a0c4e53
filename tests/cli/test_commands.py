"""Commands as a user calls them: results, exit codes, messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lacuna as package
from lacuna import Document, Mention
from lacuna.io.corpus import read_corpus
from lacuna.io.output import write_corpus
from tests.cli.conftest import Lacuna

CANARY = "Whittaker"
TEXT = f"Seen by Dr. {CANARY} on 3/14. Pain in arm and leg."
GOLD = Document(
    "n1",
    TEXT,
    (
        Mention.of("DOCTOR", (12, 21)),
        Mention.of("DATE", (25, 29)),
        Mention.of("ADR", (31, 42)),
        Mention.of("ADR", (31, 38), (47, 50)),
    ),
    group="patient 1",
)
FOUND = Document("n1", TEXT, (Mention.of("DOCTOR", (12, 21)), Mention.of("DATE", (26, 29))))


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    write_corpus([GOLD], path, format="jsonl")
    return path


@pytest.fixture
def found(tmp_path: Path) -> Path:
    path = tmp_path / "found.jsonl"
    write_corpus([FOUND], path, format="jsonl")
    return path


def test_version(lacuna: Lacuna) -> None:
    assert lacuna("--version").out == f"lacuna {package.__version__}\n"


@pytest.mark.parametrize(
    "command", ["", "convert", "score", "stats", "ambiguity", "generate", "cluster", "demo"]
)
def test_help_reads_well(lacuna: Lacuna, command: str) -> None:
    run = lacuna(*command.split(), "--help")
    assert run.code == 0
    assert "Usage:" in run.out
    assert "--help" in run.out


def test_ambiguity_counts_structures(lacuna: Lacuna) -> None:
    long = lacuna("ambiguity", "--words", 12, "--json").json["structures"]["SPLIT"]
    assert long[-1] > 2**100
    run = lacuna("ambiguity", "--words", 4, "--json")
    assert run.json["structures"] == {
        "LI": [2, 8, 41, 235],
        "SHARED": [2, 8, 80, 3584],
        "SPLIT": [2, 8, 80, 6656],
    }
    assert run.json["relative_ambiguity"]["SHARED to SPLIT"] == pytest.approx(1.53, abs=0.005)
    table = lacuna("ambiguity")
    assert "432,614,440,960" in table.out
    assert "10.301" in table.out


def test_ambiguity_of_a_corpus(lacuna: Lacuna, gold: Path) -> None:
    run = lacuna("ambiguity", gold, "--json")
    assert run.json["discontiguous"]["mentions"] == 2
    assert run.json["everything"]["mentions"] == 4
    assert run.json["everything"]["errors"]["LI-ALL"]["wrong"] == 2
    assert run.json["everything"]["errors"]["SPLIT-ENOUGH"]["lost"] == 0
    table = lacuna("ambiguity", gold, "--labels", "ADR")
    assert "SHARED ENOUGH" in table.out
    assert "with gaps: 2 mentions in 1 sentences" in table.err


def test_nothing_asked_shows_the_help(lacuna: Lacuna) -> None:
    run = lacuna()
    assert "Usage:" in run.err
    assert run.code == 2


def test_convert_there_and_back(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    run = lacuna("convert", gold, tmp_path / "brat", "--to", "brat")
    assert run.code == 0
    assert "1 document, 4 mentions" in run.err
    assert "left out, brat cannot hold it: groups (1)" in run.err
    back = lacuna("convert", tmp_path / "brat", "-", "--to", "jsonl", "--group-from", "n")
    assert back.code == 0
    assert back.json["mentions"] == [
        {"label": m.label, "spans": [list(span) for span in m.spans]} for m in GOLD.mentions
    ]
    assert back.json["group"] == "n"


@pytest.mark.parametrize("name", ["n.jsonl", "n.ndjson", "n.sgml", "n.inline", "n.conll", "n.xml"])
def test_convert_takes_the_format_from_the_name(
    lacuna: Lacuna, gold: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / name
    run = lacuna("convert", gold, out, "--labels", "DOCTOR,DATE")
    assert run.code == 0, run.err
    assert "1 document, 2 mentions" in run.err
    (back,) = read_corpus([out])
    assert [m.label for m in back.mentions] == ["DOCTOR", "DATE"]


@pytest.mark.parametrize("name", ["out", "out.docx", "out.ann", "-"])
def test_convert_asks_for_the_format_if_the_name_is_not_clear(
    lacuna: Lacuna, gold: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = lacuna("convert", gold, name)
    assert run.code == 2
    assert f"{name}: the name does not say which format; give --to with one of" in run.err
    assert "brat" in run.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gold.jsonl"]


def test_convert_refuses_what_does_not_fit_and_says_what_to_do(
    lacuna: Lacuna, gold: Path, tmp_path: Path
) -> None:
    run = lacuna("convert", gold, tmp_path / "out.conll", "--to", "conll")
    assert run.code == 2
    assert "conll cannot hold discontiguous mentions (document n1)" in run.err
    assert "--loss mentions" in run.err
    assert not (tmp_path / "out.conll").exists()
    strict = lacuna("convert", gold, tmp_path / "out", "--to", "brat", "--loss", "nothing")
    assert strict.code == 2
    assert "groups" in strict.err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gold.jsonl"]
    flat = lacuna(
        "convert", gold, tmp_path / "out.conll", "--to", "conll", "--loss", "mentions", "--json"
    )
    assert flat.json["mentions"] == 3
    assert flat.json["left_out"]["discontiguous mentions"] == 1


def test_convert_maps_and_drops_labels(lacuna: Lacuna, gold: Path, tmp_path: Path) -> None:
    table = tmp_path / "map.toml"
    table.write_text('DOCTOR = "NAME"\nADR = ""\n[categories]\nNAME = "PERSON"\n')
    run = lacuna("convert", gold, "-", "--to", "jsonl", "--map", table)
    assert [m["label"] for m in run.json["mentions"]] == ["NAME", "DATE"]
    only = lacuna("convert", gold, "-", "--to", "jsonl", "--labels", "DATE")
    assert [m["label"] for m in only.json["mentions"]] == ["DATE"]
    scored = lacuna("score", gold, gold, "--map", table, "--json")
    assert sorted(scored.json["categories"]["labels"]) == ["DATE", "PERSON"]


def test_score_counts(lacuna: Lacuna, gold: Path, found: Path) -> None:
    scores = lacuna("score", gold, found, "--json").json
    assert scores["documents"] == 1
    assert scores["strict"]["micro"] == {
        "precision": 0.5,
        "recall": 0.25,
        "f1": pytest.approx(1 / 3),
        "tp": 1,
        "fp": 1,
        "fn": 3,
    }
    assert scores["relaxed"]["micro"]["tp"] == 2
    assert scores["discontiguous"]["micro"]["fn"] == 1
    assert scores["leaks"]["documents"] == {"total": 1, "leaked": 1, "share": 1.0}


def test_swapping_the_arguments_swaps_precision_and_recall(
    lacuna: Lacuna, gold: Path, found: Path
) -> None:
    there = lacuna("score", gold, found, "--json").json
    back = lacuna("score", found, gold, "--json").json
    for section in ("strict", "relaxed", "token", "binary", "discontiguous", "overlapping"):
        one, other = there[section]["micro"], back[section]["micro"]
        assert (one["precision"], one["recall"]) == (other["recall"], other["precision"])


def test_score_with_itself_is_perfect(lacuna: Lacuna, gold: Path) -> None:
    scores = lacuna("score", gold, gold, "--json", "--per-document", "--intervals").json
    for section in ("strict", "relaxed", "token", "binary", "discontiguous", "overlapping"):
        for figure in ("precision", "recall", "f1"):
            assert scores[section]["micro"][figure] == 1.0
            assert scores[section]["macro"][figure] == 1.0
        assert scores[section]["error_rate"] == 0.0
    assert scores["per_document"][0]["group"] == "patient 1"
    assert scores["intervals"]["strict"]["micro"]["f1"] == [1.0, 1.0]


def test_score_tables_agreement_and_comparison(lacuna: Lacuna, gold: Path, found: Path) -> None:
    tables = lacuna("score", gold, found, "--beta", "2", "--intervals", "--by", "token")
    assert tables.code == 0
    assert "f2" in tables.out
    assert "token, by label" in tables.out
    agreement = lacuna("score", gold, found, "--agreement", "--json").json
    assert agreement["f1"]["strict"] == pytest.approx(1 / 3)
    assert "kappa" in lacuna("score", gold, found, "--agreement").out
    comparison = lacuna("score", gold, found, "--against", gold, "--json").json
    assert comparison["difference"] == pytest.approx(-2 / 3)
    table = lacuna("score", gold, found, "--against", gold).out
    assert "-0.6667" in table


def test_score_compares_two_systems_by_category(
    lacuna: Lacuna, gold: Path, found: Path, tmp_path: Path
) -> None:
    table = tmp_path / "map.toml"
    table.write_text('DOCTOR = "PHI"\nDATE = "PHI"\n')
    against = ("score", gold, found, "--against", found, "--categories", table, "--json")
    assert lacuna(*against, "--by", "categories").json["difference"] == 0.0
    assert lacuna(*against, "--by", "categories").json["section"] == "categories"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "nothing"), "unknown section 'nothing'; choose from strict"),
        (("--by", "nothing", "--json"), "unknown section 'nothing'; choose from strict"),
        (("--agreement", "--against", "x"), "cannot be combined with --against"),
    ],
)
def test_score_refuses_options_that_make_no_sense(
    lacuna: Lacuna, gold: Path, options: tuple[str, ...], message: str
) -> None:
    run = lacuna("score", gold, gold, *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.parametrize(
    "paths", [("-", "-"), ("-", "x", "--against", "y"), ("x", "-", "--against", "-")]
)
def test_score_reads_the_standard_input_only_once(lacuna: Lacuna, paths: tuple[str, ...]) -> None:
    run = lacuna("score", *paths)
    assert run.code == 2
    assert "standard input can be read only once" in run.err


def test_tables_fit_80_columns_and_cut_no_number(
    lacuna: Lacuna, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    label = "A-VERY-LONG-LABEL-" * 8
    path = tmp_path / "long.jsonl"
    write_corpus([Document("n", "Anna", (Mention.of(label, (0, 4)),))], path, format="jsonl")
    out = lacuna("score", path, path, "--beta", 2, "--intervals").out
    assert max(map(len, out.splitlines())) <= 80
    assert "1.0000…1.0000" in out
    by_label = out[out.index("strict, by label") : out.index("intervals")].splitlines()
    assert sum(line.split().count("1.0000") for line in by_label) == 4
    assert label in "".join(line.split(" ")[0] for line in by_label)


def test_stats(lacuna: Lacuna, gold: Path) -> None:
    found = lacuna("stats", gold, "--json").json
    assert found["documents"] == found["groups"] == 1
    assert found["labels"]["ADR"]["parts"] == {"1": 1, "2": 1}
    rows = [line.split() for line in lacuna("stats", gold).out.splitlines()]
    assert ["ADR", "2", "10.5", "1", "1"] in rows  # mentions, mean length, one part, two parts
    assert ["all", "4", "8.5", "3", "1"] in rows
    assert ["same", "label", "0", "0", "1", "1"] in rows  # same, nested, crossing, all
    assert ["two", "labels", "0", "0", "0", "0"] in rows


def test_generate_is_repeatable_and_streams(lacuna: Lacuna, tmp_path: Path) -> None:
    one, two = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    assert lacuna("generate", "-n", 5, "--seed", 3, "-o", one).code == 0
    lacuna("generate", "-n", 5, "--seed", 3, "-o", two)
    assert one.read_bytes() == two.read_bytes()
    assert len(list(read_corpus([one]))) == 5
    shown = lacuna("generate", "-n", 2, "--clean", "--findings", "--split", "test")
    assert len(shown.out.splitlines()) == 2


def test_generate_only_some_kinds(lacuna: Lacuna) -> None:
    shown = lacuna("generate", "-n", 8, "--kinds", "jotting, phone-note")
    kinds = {json.loads(line)["meta"]["kind"] for line in shown.out.splitlines()}
    assert kinds == {"jotting", "phone-note"}
    wrong = lacuna("generate", "-n", 8, "--kinds", "novel")
    assert wrong.code == 2
    assert "unknown kind of note: novel; known are" in wrong.err


@pytest.mark.parametrize("to", ["brat", "share", "i2b2", "i2b2-2006", "inline", "conll"])
def test_generate_in_other_formats(lacuna: Lacuna, tmp_path: Path, to: str) -> None:
    assert lacuna("generate", "-n", 60, "--to", to, "-o", tmp_path / "notes").code == 0
    assert len(list(read_corpus([tmp_path / "notes"], format=to))) == 60


def test_generate_says_what_to_do_where_a_format_cannot_hold_notes(
    lacuna: Lacuna, tmp_path: Path
) -> None:
    run = lacuna("generate", "-n", 1, "--to", "txt", "-o", tmp_path / "notes")
    assert run.code == 2
    assert "txt cannot hold mentions" in run.err
    assert "write jsonl, then use lacuna convert" in run.err


def test_examples_hold_the_same_in_both_formats(lacuna: Lacuna) -> None:
    examples = Path(__file__).parents[2] / "examples"
    scores = lacuna("score", examples / "notes.jsonl", examples / "brat", "--json").json
    assert scores["documents"] == 5
    assert scores["strict"]["micro"]["tp"] > 50
    assert scores["strict"]["micro"]["f1"] == 1.0


def test_demo(lacuna: Lacuna, tmp_path: Path) -> None:
    run = lacuna("demo", "-n", 20, "-o", tmp_path / "new")
    assert run.code == 0, run.err
    assert "⟨" in run.out
    for name in ("report.html", "report.json"):
        assert (tmp_path / "new" / "safe" / name).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stats", "missing.jsonl"), "missing.jsonl: no such file or folder"),
        (("stats", "nothing-*.txt"), "no files"),
        (("convert", "one", "--to", "jsonl"), "Missing argument"),
        (("convert", "bad.jsonl", "out", "--to", "jsonl"), "bad.jsonl:2:"),
        (("convert", "bad.jsonl", "out", "--to", "yaml"), "unknown format 'yaml'"),
        (("stats", "bad.jsonl", "--map", "missing.toml"), "missing.toml: cannot be read"),
        (("stats", "bad.jsonl", "--group-from", "("), "regular expression"),
        (("stats", "bad.jsonl", "--nonsense"), "No such option"),
        (("score", "good.jsonl", "other.jsonl"), "texts of the two corpora differ"),
    ],
)
def test_bad_input_is_named_without_traceback_or_content(
    lacuna: Lacuna,
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    good = f'{{"id": "a", "text": "{CANARY}"}}\n'
    Path("good.jsonl").write_text(good)
    Path("other.jsonl").write_text(good.replace(CANARY, CANARY + "x"))
    Path("bad.jsonl").write_text(good + f'{{"id": "b", "text": "{CANARY}", "mentions": 7}}\n')
    before = sorted(tmp_path.iterdir())
    run = lacuna(*arguments)
    assert run.code == 2
    assert message in " ".join(run.err.split())
    assert CANARY not in run.err + run.out
    assert "Traceback" not in run.err
    assert sorted(tmp_path.iterdir()) == before


def test_unexpected_errors_say_where_but_not_what(
    lacuna: Lacuna, gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError(f"about {CANARY}")

    monkeypatch.setattr("lacuna.evaluation.statistics.describe", broken)
    run = lacuna("stats", gold)
    assert run.code == 1
    assert "internal error: RuntimeError at test_commands.py:" in run.err
    assert CANARY not in run.err


@pytest.mark.usefixtures("interruptible")
def test_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "pipe"
    os.mkfifo(source)
    command = [sys.executable, "-m", "lacuna", "convert", "--format", "jsonl"]
    process = subprocess.Popen(
        [*command, str(source), str(tmp_path / "out.jsonl")],
        stderr=subprocess.PIPE,
        text=True,
    )
    with source.open("w") as stream:  # opens once the reader does
        stream.write('{"id": "a", "text": ""}\n')
        stream.flush()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=30)
    assert process.returncode == 130
    assert messages == "interrupted; nothing was written\n"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
