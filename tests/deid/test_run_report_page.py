"""The report as a page: links to outputs, settings as values, singular and plural."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import msgspec

from lacuna.deid.remarks import remarks_on_dates
from lacuna.deid.run_report import Report, Run, write_report
from lacuna.deid.tally import Place, Review, Tally
from lacuna.text.plurals import counted

RUN = Run(
    lacuna="1",
    model="m.lacuna",
    model_sha256="0" * 64,
    policy="safe-harbor",
    policy_sha256="1" * 64,
    threshold=0.5,
    promised=None,
    confidence=None,
    calibrated=None,
    warnings=[],
    consistency="patient",
    locale="en",
    settings={"patterns": True, "second_look": False, "rename": "auto"},
    files=1,
    taken_over=0,
    left_aside={},
    seconds=1.5,
)


def page(folder: Path, tally: Tally, run: Run = RUN) -> str:
    write_report(folder, Report(run, tally, []))
    return (folder / "report.html").read_text()


def words(text: str) -> str:
    return unescape(re.sub("<[^>]*>", " ", text))


def test_documents_are_links_to_their_outputs(tmp_path: Path) -> None:
    places = [
        Place("1", 'a:b/c d#?"<é>.txt'),
        Place("2", "t.jsonl", 7, "k<1>"),
        Place("3"),
    ]
    tally = Tally(
        documents=3,
        review=[Review(1.0, place, 5, 2) for place in places],
        foreign=1,
        foreign_documents=places[1:2],
    )
    text = page(tmp_path, tally)
    links = [unquote(unescape(link)) for link in re.findall(r'href="([^"]*)"', text)]
    assert links == ['./a:b/c d#?"<é>.txt', "./t.jsonl", "./t.jsonl"]
    assert words(text).count("t.jsonl , row 7 (id k<1>)") == 2
    values = msgspec.json.decode((tmp_path / "report.json").read_bytes())
    assert values["foreign_documents"] == [
        {"document": "2", "output": "t.jsonl", "row": 7, "id": "k<1>"}
    ]
    assert values["review"][0]["output"] == 'a:b/c d#?"<é>.txt'


def test_settings_are_values_and_nothing_is_said_of_what_was_not_set(tmp_path: Path) -> None:
    text = words(page(tmp_path, Tally(documents=1)))
    for row in ("policy  safe-harbor", "patterns  yes", "second look  no", "names and ids  auto"):
        assert row in text
    assert "None" not in text
    assert "earlier run" not in text
    assert "0000000" not in text
    promised = msgspec.structs.replace(RUN, promised=0.05, taken_over=3)
    text = words(page(tmp_path, Tally(documents=1), promised))
    assert "promised miss rate  0.05" in text
    assert "files finished by an earlier run  3" in text


def test_one_is_singular(tmp_path: Path) -> None:
    one = Tally(
        documents=1,
        tokens=1,
        labels={"DATE": 1},
        placeholders=1,
        protected={"rose": 1},
        contradictory_dates=1,
        hidden_dates=1,
        dates_against_locale=1,
        emptied_cells=1,
    )
    text = words(page(tmp_path, one)) + " ".join(remarks_on_dates(one))
    assert "1 document, 1 token, 1 identifier replaced" in text
    assert not re.search(
        r"\b1 (documents|tokens|identifiers|placeholders|dates|cells|words)|1 \w+ (are|were)\b",
        text,
    )
    many = Tally(documents=2000, tokens=2, labels={"DATE": 2})
    assert "2,000 documents, 2 tokens, 2 identifiers replaced" in words(page(tmp_path, many))
    assert counted(1, "entry", "entries") == "1 entry"
    assert counted(0, "entry", "entries") == "0 entries"
