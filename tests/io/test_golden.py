"""One real file per format, and its documents, written by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lacuna.io.corpus import read_corpus
from lacuna.io.source import Assumed, Skipped
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
GERMEVAL = [  # the last column, of inner mentions; the outer ones are read with --column
    Document(
        "germeval",
        "Aufgrund „ Troia - Traum\nIn Bonn",
        (Mention.of("LOC", (11, 16)),),
        tokens=tokens(
            [(0, 8), (9, 10), (11, 16), (17, 18), (19, 24), (25, 27), (28, 32)],
            [0, 5, 7],
            {"pos": "O O B-OTH I-OTH I-OTH O B-LOC"},
        ),
    )
]
ONTONOTES = [
    Document(
        "wb/a2e/00/visit-000",
        "In New York\nKim .",
        (Mention.of("GPE", (3, 11)), Mention.of("PERSON", (12, 15))),
        tokens=tokens(
            [(0, 2), (3, 6), (7, 11), (12, 15), (16, 17)], [0, 3, 5], {"pos": "IN NNP NNP NNP ."}
        ),
    ),
    Document("wb/a2e/00/visit-001", "Bye", tokens=tokens([(0, 3)], [0, 1], {"pos": "UH"})),
]
LABELS = [
    Document(
        "labels",
        "Anna Berg lebt in Bonn .",
        (Mention.of("PER", (0, 9)), Mention.of("LOC", (18, 22))),
        meta={"scheme": "IOB1"},
        tokens=tokens([(0, 4), (5, 9), (10, 14), (15, 17), (18, 22), (23, 24)], [0, 6], {}),
    )
]
MUC = [
    Document(
        "muc-1",
        "\n7\nAsh & Co paid $3 on\nMonday to Mr Kim.\n\n",
        (
            Mention.of("ORGANIZATION", (3, 11)),
            Mention.of("MONEY", (17, 19)),
            Mention.of("DATE", (23, 29)),
            Mention.of("PERSON", (33, 39)),
            Mention.of("NAME", (36, 39)),
        ),
    ),
    Document("muc-2", "\nNothing.\n\n"),
]
W2NER = [
    Document(
        "w2ner-1",
        "pain in arm and leg",
        (Mention.of("ADR", (0, 11)), Mention.of("ADR", (0, 7), (16, 19))),
        meta={"word": [[0]]},
        tokens=tokens([(0, 4), (5, 7), (8, 11), (12, 15), (16, 19)], [0, 5], {}),
    ),
    Document("w2ner-2", "fine .", tokens=tokens([(0, 4), (5, 6)], [0, 2], {})),
]
MARKED = [
    Document(
        "visit-1",
        "Seen by Dr Ida Vos on 3 May | 5/10.\n",
        (
            Mention.of("DOCTOR", (11, 18)),
            Mention.of("NAME", (15, 18)),
            Mention.of("DATE", (22, 27)),
        ),
    ),
    Document("second visit", "Nothing here.\r"),
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
    "visits.marked": MARKED,
    "germeval.tsv": GERMEVAL,
    "ontonotes.gold_conll": ONTONOTES,
    "labels.conll": LABELS,
    "muc.sgml": MUC,
    "w2ner.json": W2NER,
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
        (
            "germeval.tsv",
            {
                "comment lines": 2,
                "tags in column 3 (--column tag=3 --column tag=4 reads them, too, as nested"
                " mentions)": 4,
            },
        ),
        ("muc.sgml", {"tags other than ENAMEX, NUMEX and TIMEX": 7}),
        ("ward.conll", {}),
    ],
)
def test_what_is_read_over_is_reported(name: str, expected: dict[str, int]) -> None:
    notices: list[Skipped] = []
    list(read_corpus([GOLDEN / name], on_skip=notices.append))
    assert {notice.what: notice.count for notice in notices} == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("germeval.tsv", ["column 1 numbers the tokens: word in column 2"]),
        (
            "ontonotes.gold_conll",
            ["CoNLL-2012: word in column 4, part of speech in 5, names in 11"],
        ),
        ("labels.conll", ["that tags without prefixes are labels of mentions"]),
        ("ward.conll", []),
    ],
)
def test_what_is_taken_for_granted_is_reported(name: str, expected: list[str]) -> None:
    notices: list[Assumed] = []
    list(read_corpus([GOLDEN / name], on_assume=notices.append))
    assert [notice.what for notice in notices] == expected


def test_the_whole_folder_is_one_corpus_in_many_formats() -> None:
    documents = list(read_corpus([GOLDEN]))
    assert len(documents) == len({document.id for document in documents}) == 29
    assert {"brat/visit", "share/echo", "second note", "13"} <= {d.id for d in documents}
