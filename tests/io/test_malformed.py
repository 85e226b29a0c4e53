"""Malformed files: each gives ``file:line: reason``, and no message quotes what a file says."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.errors import ConfigError, CorpusFormatError
from lacuna.io.corpus import read_corpus
from lacuna.io.formats import FORMATS
from lacuna.io.output import write_corpus
from lacuna.types import Task

SECRET = "Quillfeather"
Files = dict[str, str | bytes]


def brat(annotation: str) -> Files:
    return {"n.txt": f"{SECRET} came", "n.ann": annotation}


def share(line: str) -> Files:
    return {"n.text": f"{SECRET} came", "n.pipe": line}


def mentions(value: str) -> Files:
    return {"n.jsonl": f'{{"text": "fine"}}\n{{"text": "{SECRET}", {value}}}\n'}


def i2b2(tags: str) -> Files:
    return {"n.xml": f"<deIdi2b2>\n<TEXT>{SECRET} came</TEXT>\n<TAGS>\n{tags}\n</TAGS></deIdi2b2>"}


def records(content: str) -> Files:
    return {"n.xml": f"<ROOT>\n{content}\n</ROOT>"}


def w2ner(value: str) -> Files:
    return {"n.json": f'[{{"sentence": ["{SECRET}", "came"], {value}}}]'}


#: format, files, what the message must match
CASES: list[tuple[str, Files, str]] = [
    # text in general
    ("txt", {"n.txt": b"abc\xffdef"}, r"n.txt: byte 3: not valid utf-8$"),
    ("txt", {"n.txt": b"ab\xe2\x82"}, r"n.txt: byte 2: not valid utf-8$"),
    ("jsonl", {"n.jsonl": b'{"text":"x"}\n{"text":"\xff"}'}, r"n.jsonl: byte 22: not valid utf-8$"),
    ("brat", {"n.txt": "x", "n.ann": b"T1\tA 0 1\t\xff"}, r"n.ann: byte 9: not valid utf-8$"),
    # conll
    ("conll", {"n.conll": f"a O\n{SECRET}\n"}, r"n.conll:2: expected 2 columns, got 1"),
    ("conll", {"n.conll": f"a O\n\n{SECRET} NN O\n"}, r"n.conll:3: expected 2 columns, got 3"),
    ("conll", {"n.conll": f"{SECRET}\n"}, r"n.conll:1: expected at least 2 columns, got 1"),
    ("conll", {"n.conll": f"a\tO\n{SECRET}\t\tO\n"}, r"n.conll:2: expected 2 columns, got 2"),
    ("conll", {"n.conll": f"a O\nb {SECRET}\n"}, r"n.conll:2: the last column is not a tag"),
    ("conll", {"n.conll": f"a O\r\n\r\n{SECRET} B-\r\n"}, r"n.conll:3: the last column is not"),
    ("conll", {"n.conll": f"a PER\nb O\nc O\nd O\n{SECRET} B-X\n"}, r"n.conll:1: the last col"),
    ("conll", {"n.conll": f"a B-X\nb O\nc O\nd O\n{SECRET} PER\n"}, r"n.conll:5: the last col"),
    ("conll", {"n.conll": f"a *\n\n{SECRET} (A*\nb *\n"}, r"n.conll:3: a bracket is not closed"),
    ("conll", {"n.conll": f"a (A*\n\n{SECRET} *)\n"}, r"n.conll:1: a bracket is not closed"),
    ("conll", {"n.conll": f"a *\n\n{SECRET} *)\n"}, r"n.conll:3: a bracket is closed that"),
    ("conll", {"n.conll": f"a (A)\n{SECRET} O\n"}, r"n.conll:2: a tag is written in another"),
    ("conll", {"n.conll": f"a O\n{SECRET} (A)\n"}, r"n.conll:2: the last column is not a tag"),
    (
        "conll",
        {"n.conll": f"1 a B-X\n2 b O\n3 c O\n\n1 {SECRET}\n"},
        r"n.conll:5: expected 3 columns, got 2",
    ),
    # brat
    ("brat", brat(f"T1\tA 0 3 {SECRET}"), r"n.ann:1: a mention needs three fields"),
    ("brat", brat(f"\nT1\tA 0 x\t{SECRET}"), r"n.ann:2: expected a label and offsets"),
    ("brat", brat(f"T1\tA 0;3\t{SECRET}"), r"n.ann:1: expected a label and offsets"),
    ("brat", brat("T1\tA 0 99\tx"), r"n.ann:1: mention ends at 99, the text at 17"),
    ("brat", brat("T1\tA 4 4\t"), r"n.ann:1: span must satisfy 0 <= start < end, got \[4, 4\)"),
    ("brat", brat("T1\tA 4 8;2 4\tx"), r"n.ann:1: spans of a mention must be in order"),
    ("brat", brat("T1\t 0 4\tQuil"), r"n.ann:1: a mention needs a label"),
    ("brat", brat(f"T1\tA 13 17\t{SECRET}"), r"n.ann:1: the text field differs"),
    ("brat", brat("T1\tA 13 17\tcame\nT1\tA 13 17\tcame"), r"n.ann:2: the same T number"),
    ("brat", brat(f"X1\t{SECRET}"), r"n.ann:1: unknown kind of annotation"),
    ("brat", {"n.ann": ""}, r"n.txt: cannot be read: No such file"),
    ("brat", {"n.txt": SECRET}, r"n.ann: cannot be read: No such file"),
    # share
    ("share", share(SECRET), r"n.pipe:1: expected name\|\|label"),
    ("share", share("n.txt||A||C1||0||4||9"), r"n.pipe:1: an offset is missing"),
    ("share", share("n.txt||A||C1||0||99"), r"n.pipe:1: mention ends at 99, the text at 17"),
    ("share", share("\nn.txt||A||C1||4||4"), r"n.pipe:2: span must satisfy"),
    ("share", share(f"{SECRET}.txt||A||C1||0||4"), r"n.pipe:1: the line belongs to another file"),
    ("share", {"n.pipe": ""}, r"n.pipe: no .text or .txt file next to it"),
    # marked
    ("marked", {"n.marked": f"=== a\n\n⟦A|{SECRET}"}, r"n.marked:3: a mark is never closed"),
    ("marked", {"n.marked": f"=== a\n⟦A|x⟧\n{SECRET}⟧"}, r"n.marked:3: ⟧ without ⟦"),
    ("marked", {"n.marked": f"=== a\n⟦{SECRET}⟧"}, r"n.marked:2: ⟦ needs a label: ⟦LABEL\|text⟧"),
    ("marked", {"n.marked": "=== a\n⟦A|⟧"}, r"n.marked:2: a tag marks no text"),
    ("marked", {"n.marked": f"\n{SECRET}\n=== a\n"}, r"n.marked:2: text before the first line ==="),
    ("marked", {"n.marked": f"=== a\n{SECRET}\n=== \n"}, r"n.marked:3: === needs an id"),
    # inline
    ("inline", {"n.sgml": f"a\n<A>{SECRET}</B>"}, r"n.sgml:2: tags cross"),
    ("inline", {"n.sgml": f"<A>a<B>{SECRET}</A></B>"}, r"n.sgml:1: tags cross"),
    ("inline", {"n.sgml": f"<A>\n{SECRET}"}, r"n.sgml:2: a tag is never closed"),
    ("inline", {"n.sgml": f"{SECRET}</A>"}, r"n.sgml:1: a closing tag without its opening"),
    ("inline", {"n.sgml": f"{SECRET}\n\n<A></A>"}, r"n.sgml:3: a tag marks no text"),
    ("inline-lines", {"n.inline": f"<A>x</A>\n<A>{SECRET}\n"}, r"n.inline:2: a tag is never"),
    ("inline", {"n.sgml": f'\n<ENAMEX ID="{SECRET}">x</ENAMEX>'}, r"n.sgml:2: ENAMEX needs a TYPE"),
    (
        "inline",
        {"n.sgml": f'<NUMEX TYPE="A">x</NUMEX>\n<TIMEX>{SECRET}</TIMEX>'},
        r"n.sgml:2: TIMEX needs a TYPE",
    ),
    ("inline", {"n.sgml": f'\n<ENAMEX TYPE="{SECRET}">x</NUMEX>'}, r"n.sgml:2: tags cross"),
    ("inline", {"n.sgml": f'<ENAMEX TYPE="{SECRET}">x'}, r"n.sgml:1: a tag is never closed"),
    (
        "inline",
        {"n.sgml": f'<DOC>\n<ENAMEX TYPE="A">x</ENAMEX>\n<DOC>\n{SECRET}</ENAMEX>'},
        r"n.sgml:4: a closing tag without its opening",
    ),
    # i2b2
    ("i2b2", i2b2('<NAME start="0" end="99"/>'), r"n.xml:4: mention ends at 99, the text at 17"),
    ("i2b2", i2b2('<NAME start="0" end="x"/>'), r"n.xml:4: start and end must be numbers"),
    ("i2b2", i2b2(f'<A start="13" end="17" text="{SECRET}"/>'), r"n.xml:4: the attribute text"),
    ("i2b2", i2b2("<NAME>"), r"n.xml:5: malformed XML: mismatched tag"),
    ("i2b2", i2b2(f"&{SECRET};"), r"n.xml:4: malformed XML: undefined entity"),
    ("i2b2", {"n.xml": "<deIdi2b2/>"}, r"n.xml: no element TEXT"),
    ("i2b2", {"n.xml": f"\n{SECRET}<a></a>"}, r"n.xml:2: malformed XML"),
    ("i2b2-2006", records("<RECORD><TEXT/></RECORD>"), r"n.xml:2: a RECORD needs an ID"),
    ("i2b2-2006", records(f"<{SECRET}/>"), r"n.xml:2: expected the element RECORD"),
    ("i2b2-2006", {"n.xml": f"<{SECRET}/>"}, r"n.xml:1: expected the element ROOT"),
    (
        "i2b2-2006",
        records('<RECORD ID="1"><TEXT>\n<PHI>a</PHI></TEXT></RECORD>'),
        r"n.xml:3: expected TEXT, or PHI with a TYPE",
    ),
    (
        "i2b2-2006",
        records('<RECORD ID="1"><TEXT><PHI TYPE="A"></PHI></TEXT></RECORD>'),
        r"n.xml:2: a tag marks no text",
    ),
    ("i2b2-2006", {"n.xml": f"<ROOT>{SECRET}"}, r"n.xml:1: malformed XML: no element found"),
    # jsonl
    ("jsonl", {"n.jsonl": f'{{"text": "a"}}\n{{"text": "{SECRET}"'}, r"n.jsonl:2: .*truncated"),
    ("jsonl", {"n.jsonl": f'\n\n{{"text": {SECRET}}}'}, r"n.jsonl:3: JSON is malformed"),
    ("jsonl", {"n.jsonl": f'"{SECRET}"'}, r"n.jsonl:1: expected a JSON object"),
    ("jsonl", {"n.jsonl": f'{{"id": "{SECRET}"}}'}, r"n.jsonl:1: .*missing required field `text`"),
    ("jsonl", mentions('"mentions": [{"label": "A"}]'), r"n.jsonl:2: .*required field `spans`"),
    ("jsonl", mentions('"mentions": [{"label": "A", "spans": [[0]]}]'), r"n.jsonl:2: Expected"),
    ("jsonl", mentions('"mentions": [{"label": "A", "spans": []}]'), r"n.jsonl:2: a mention needs"),
    (
        "jsonl",
        mentions('"mentions": [{"label": "A", "spans": [[0, 99]]}]'),
        r"n.jsonl:2: a mention ends at 99, the text of n-2 at 12",
    ),
    (
        "jsonl",
        mentions('"mentions": [{"label": "A", "spans": [[0, 1]], "probability": 2}]'),
        r"n.jsonl:2: a probability lies in",
    ),
    ("jsonl", mentions('"tokens": [[0, 99]]'), r"n.jsonl:2: tokens reach beyond"),
    ("jsonl", mentions('"tokens": [[2, 1]]'), r"n.jsonl:2: tokens must be"),
    ("jsonl", mentions('"sentences": [[0, 1]]'), r"n.jsonl:2: sentences and columns need tokens"),
    ("jsonl", mentions('"tokens": [[0, 2]], "sentences": [[0, 2]]'), r"n.jsonl:2: sentences reach"),
    (
        "jsonl",
        mentions('"tokens": [[0, 2], [2, 3]], "sentences": [[0, 1], [0, 2]]'),
        r"n.jsonl:2: each sentence must begin",
    ),
    (
        "jsonl",
        mentions('"tokens": [[0, 2]], "columns": {"pos": []}'),
        r"n.jsonl:2: column pos has 0 values for 1 tokens",
    ),
    ("jsonl", mentions('"meta": {"a": 1}, "a": 2'), r"n.jsonl:2: a key occurs both in meta"),
    ("jsonl", mentions('"label": [[0, 1]]'), r"n.jsonl:2: a label must be \[start, end, label\]"),
    ("jsonl", mentions('"spans": ["x"]'), r"n.jsonl:2: spans must be a list of objects"),
    ("jsonl", mentions('"annotations": []'), r"n.jsonl:2: data needs a text"),
    (
        "jsonl",
        {
            "n.json": f'[{{"data": {{"text": "{SECRET}"}}, "annotations": [{{"result": [{{"value":'
            ' {"start": 1, "end": 2, "text": "Q", "labels": ["A"]}}]}]}]'
        },
        r"n.json: item 1: offsets do not fit the quoted text",
    ),
    (
        "jsonl",
        w2ner('"ner": [{"index": [0], "type": ""}]'),
        r"n.json: item 1: a mention needs a label",
    ),
    ("jsonl", w2ner('"ner": [{"index": [0]}]'), r"n.json: item 1: Expected `str`, got `null`"),
    (
        "jsonl",
        w2ner('"ner": [{"index": [0, 2], "type": "A"}]'),
        r"n.json: item 1: index must be diff",
    ),
    (
        "jsonl",
        w2ner('"ner": [{"index": [-1], "type": "A"}]'),
        r"n.json: item 1: index must be diff",
    ),
    (
        "jsonl",
        w2ner('"ner": [{"index": [1, 1], "type": "A"}]'),
        r"n.json: item 1: index must be dif",
    ),
    (
        "jsonl",
        w2ner('"ner": [{"index": [], "type": "A"}]'),
        r"n.json: item 1: index must be a list",
    ),
    ("jsonl", w2ner('"ner": [{"index": [true], "type": "A"}]'), r"item 1: index must be a list"),
    ("jsonl", w2ner('"ner": {"a": 1}'), r"n.json: item 1: ner must be a list of objects"),
    ("jsonl", {"n.json": f'[{{"sentence": ["{SECRET}", 1]}}]'}, r"item 1: sentence must be a list"),
    (
        "jsonl",
        {"n.json": f'[{{"sentence": ["{SECRET}", ""]}}]'},
        r"item 1: sentence must be a list",
    ),
    ("jsonl", {"n.json": f'[{{"text": "{SECRET}"}}'}, r"n.json: .*truncated"),
    ("jsonl", {"n.jsonl": '{"text":' + "[" * 5000}, r"n.jsonl:1: JSON nested too deeply"),
]


def put(folder: Path, files: Files) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(("name", "files", "pattern"), CASES)
def test_message_says_where_and_what(tmp_path: Path, name: str, files: Files, pattern: str) -> None:
    put(tmp_path, files)
    with pytest.raises(CorpusFormatError) as caught:
        list(read_corpus([tmp_path], format=name))
    assert re.search(pattern, str(caught.value))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", ["jsonl", "brat"])
def test_nothing_is_written_when_reading_fails_half_way(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "fine"}\n{"text": ')
    with pytest.raises(CorpusFormatError):
        write_corpus(read_corpus([source]), tmp_path / "out", format=name)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


BOMB = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))


@pytest.mark.parametrize(
    "prolog",
    [
        "<!DOCTYPE deIdi2b2>",
        '<!DOCTYPE deIdi2b2 SYSTEM "http://localhost/x.dtd">',
        '<!DOCTYPE deIdi2b2 [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        f'<!DOCTYPE deIdi2b2 [<!ENTITY a0 "ha">{BOMB}]>',
    ],
)
def test_xml_with_a_document_type_is_refused(tmp_path: Path, prolog: str) -> None:
    path = tmp_path / "n.xml"
    path.write_text(f"{prolog}\n<deIdi2b2><TEXT>&x;&a9;</TEXT></deIdi2b2>")
    with pytest.raises(CorpusFormatError, match=r"n.xml:1: XML document types \(DTD\) are refused"):
        list(read_corpus([path]))


def test_deep_xml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "n.xml"
    path.write_text("<ROOT>" + "<a>" * 200)
    with pytest.raises(CorpusFormatError, match="nested too deeply"):
        list(read_corpus([path], format="i2b2"))


GOLDEN = Path(__file__).parent / "golden"
SEEDS = {
    "jsonl": ["ours.jsonl", "doccano.jsonl", "prodigy.jsonl", "label_studio.json", "w2ner.json"],
    "doccano": ["doccano.jsonl"],
    "prodigy": ["prodigy.jsonl"],
    "label-studio": ["label_studio.json"],
    "brat": ["brat/visit.ann"],
    "share": ["share/echo.pipe"],
    "i2b2": ["note2014.xml"],
    "i2b2-2006": ["records2006.xml"],
    "inline": ["letter.sgml", "muc.sgml"],
    "inline-lines": ["refs.inline"],
    "conll": ["ward.conll", "germeval.tsv", "ontonotes.gold_conll", "labels.conll"],
    "txt": ["plain.txt"],
    "marked": ["visits.marked"],
}
PIECES = st.binary(max_size=4) | st.sampled_from(
    [
        b"null",
        b"-1",
        b"(A*",
        b"*)",
        b"# ",
        b"B-X",
        b"1e9",
        b"[]",
        b"{}",
        b'""',
        b"<",
        b">",
        b"&",
        b"|",
        "⟦".encode(),
        "⟧".encode(),
        b"\t",
        b"\n",
        b" ",
        b"9",
    ]
)


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    """Draw a golden file with a few pieces cut out and others put in."""
    content = (GOLDEN / draw(st.sampled_from(SEEDS[name]))).read_bytes()
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        content = content[:place] + draw(PIECES) + content[place + draw(st.integers(0, 12)) :]
    return content


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_bytes_give_documents_or_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    content = data.draw(st.binary(max_size=60) | damaged(name))
    folder = tmp_path_factory.getbasetemp() / f"fuzz-{name}"
    folder.mkdir(exist_ok=True)
    path = folder / f"n{[*FORMATS[name].suffixes, '.json'][0]}"
    path.write_bytes(content)
    if name in {"brat", "share"}:
        (folder / "n.txt").write_text("The left atrium is moderately dilated. And more.")
    with suppress(CorpusFormatError):  # anything else fails the test
        assert all(document.id for document in read_corpus([path], format=name))


COLUMNS = st.lists(
    st.sampled_from(["word=2", "word=-3", "tag=3", "tag=-1", "tag=NER", "pos=4", "word=Anna"]),
    max_size=3,
    unique=True,
)


@given(data=st.data(), columns=COLUMNS, tagged=st.booleans(), task=st.sampled_from(Task))
@settings(max_examples=150, deadline=None)
def test_any_bytes_in_any_columns_give_documents_or_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    columns: list[str],
    tagged: bool,
    task: Task,
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz-columns.conll"
    path.write_bytes(data.draw(st.binary(max_size=60) | damaged("conll")))
    with suppress(CorpusFormatError, ConfigError):  # anything else fails the test
        assert all(d.id for d in read_corpus([path], columns=columns, tagged=tagged, task=task))
