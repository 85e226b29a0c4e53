"""One real file per format, and its documents, written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.source import Skipped
from lacuna.text.document import Document, Mention, Tokens

GOLDEN = Path(__file__).parent / "golden"


def tokens(pairs: list[tuple[int, int]], sentences: list[int], columns: dict[str, str]) -> Tokens:
    return Tokens(
        np.array([start for start, _ in pairs]),
        np.array([end for _, end in pairs]),
        np.array(sentences),
        {name: tuple(values.split()) for name, values in columns.items()},
    )


CONLL = [
    Document(
        "ward-1",
        "Nora Field visited Lake Orta Oslo .",
        (
            Mention.of("PER", (0, 10)),
            Mention.of("LOC", (19, 28)),
            Mention.of("LOC", (29, 33)),
        ),
        meta={"scheme": "IOB1"},
        tokens=tokens(
            [(0, 4), (5, 10), (11, 18), (19, 23), (24, 28), (29, 33), (34, 35)],
            [0, 7],
            {
                "pos": "NNP NNP VBD NNP NNP NNP .",
                "chunk": "I-NP I-NP I-VP I-NP I-NP I-NP O",
            },
        ),
    ),
    Document(
        "second note",
        "Back in Basel",
        (Mention.of("LOC", (8, 13)),),
        meta={"scheme": "IOB1"},
        tokens=tokens(
            [(0, 4), (5, 7), (8, 13)],
            [0, 3],
            {"pos": "RB IN NNP", "chunk": "I-ADVP I-PP I-NP"},
        ),
    ),
]
BRAT = [
    Document(
        "visit",
        "Sore throat and\r\nswollen left ankle. 🙂 Dr. Vos\n",
        (
            Mention.of("SYMPTOM", (0, 11)),
            Mention.of("SYMPTOM", (5, 15), (17, 24)),
            Mention.of("DOCTOR", (43, 46)),
        ),
    )
]
INLINE = [
    Document(
        "letter",
        "Seen by Dr. Ida & Sons,\nBP < 120 & stable.\n",
        (Mention.of("DOCTOR", (8, 22)), Mention.of("NAME", (12, 22))),
    )
]
INLINE_LINES = [
    Document(
        "refs-1",
        "Berg, L. On <gaps>",
        (Mention.of("author", (0, 8)), Mention.of("title", (9, 18))),
    ),
    Document("refs-2", "1999", (Mention.of("date", (0, 4)),)),
]
I2B2 = [
    Document(
        "note2014",
        "Record date: 2071-03-04\nMr. Tom Ash & Co",
        (Mention.of("DATE", (13, 23)), Mention.of("PATIENT", (28, 35))),
    )
]
I2B2_2006 = [
    Document(
        "12",
        "Seen by Lee & Wu on 3/4.",
        (Mention.of("DOCTOR", (8, 16)), Mention.of("DATE", (20, 23))),
    ),
    Document("13", "Nothing."),
]
SHARE = [
    Document(
        "echo",
        "The left atrium is moderately dilated.\n",
        (Mention.of("Disease_Disorder", (4, 15), (30, 37)),),
    )
]
JSONL = [
    Document(
        "a",
        "Pain in arm and leg",
        (Mention.of("ADR", (0, 4), (16, 19), probability=0.5),),
        group="p1",
        meta={"ward": 3},
    ),
    Document(
        "7",
        "No pain",
        meta={"source": "phone"},
        tokens=tokens([(0, 2), (3, 7)], [0, 1, 2], {"pos": "DT NN"}),
    ),
    Document("ours-4", "third"),
]
DOCCANO = [
    Document("1", "Kai met Lou", (Mention.of("PER", (0, 3)), Mention.of("PER", (8, 11)))),
    Document("2", "Kai left", (Mention.of("PER", (0, 3)),), meta={"Comments": []}),
]
PRODIGY = [
    Document(
        "prodigy-1",
        "Kai left",
        (Mention.of("PER", (0, 3)),),
        meta={"_input_hash": 5, "_task_hash": 6},
        tokens=tokens([(0, 3), (4, 8)], [0, 2], {}),
    )
]
LABEL_STUDIO = [  # the first in UTF-16 units, the second in code points
    Document("4", "🙂 Kai left", (Mention.of("PATIENT", (2, 5)), Mention.of("PER", (2, 5)))),
    Document("5", "🙂 Kai", (Mention.of("PER", (2, 5)),)),
]
PLAIN = [Document("plain", "\ufeffTwo lines,\r\none <b>file.\n")]

CASES = {
    "ward.conll": CONLL,
    "brat": BRAT,
    "brat/visit.txt": BRAT,
    "brat/visit.ann": BRAT,
    "letter.sgml": INLINE,
    "refs.inline": INLINE_LINES,
    "note2014.xml": I2B2,
    "records2006.xml": I2B2_2006,
    "share": SHARE,
    "share/echo.text": SHARE,
    "ours.jsonl": JSONL,
    "doccano.jsonl": DOCCANO,
    "prodigy.jsonl": PRODIGY,
    "label_studio.json": LABEL_STUDIO,
    "plain.txt": PLAIN,
}


@pytest.mark.parametrize("name", CASES)
def test_golden_file(name: str) -> None:
    assert list(read_corpus([GOLDEN / name])) == CASES[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("brat", {"annotations other than mentions": 2}),
        ("share", {"concept identifiers": 1}),
        ("prodigy.jsonl", {"documents not accepted": 1}),
        ("label_studio.json", {"results other than labels": 1}),
        ("ours.jsonl", {}),
    ],
)
def test_what_is_read_over_is_reported(name: str, expected: dict[str, int]) -> None:
    notices: list[Skipped] = []
    list(read_corpus([GOLDEN / name], on_skip=notices.append))
    assert {notice.what: notice.count for notice in notices} == expected


def test_the_whole_folder_is_one_corpus_in_many_formats() -> None:
    documents = list(read_corpus([GOLDEN]))
    assert len(documents) == len({document.id for document in documents}) == 19
    assert {"brat/visit", "share/echo", "second note", "13"} <= {d.id for d in documents}
