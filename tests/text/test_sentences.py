"""Sentences: hand-made texts in which ¦ marks where a sentence begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.text.tokens import tokenize

INSIDE_A_LINE = {
    "plain": "He was seen. ¦She was not! ¦Why? ¦Nobody knows… ¦End.",
    "lower case goes on": "Given 5 mg. daily by mouth. ¦Then stopped.",
    "title": "Seen by Dr. Whittaker and Mrs. Lowe. ¦Stable.",
    "Spanish title": "Remitido por la Dra. Selas y el Sr. Ruiz. ¦Fin.",
    "German": "Gesehen von Prof. Huber am 3. Mai 1998. ¦Er kam wieder.",
    "number words": "Room No. 7, see Fig. 2. ¦Not No. ¦He said no. ¦Then left.",
    "initials": "J. R. Smith and J.R. Smith met. ¦Vitamin C. ¦The dose was low.",
    "dotted": "Taken b.i.d. Metformin at 5 p.m. ¦The pain left. ¦E.g. Aspirin.",
    "may end": "Sold by Acme Inc. Boston. ¦Made by Acme Inc. ¦The end.",
    "plural number is no initial": "In the early 80s. ¦Moro was old.",
    "street": "C/. Mayor 3. ¦Lives in Av. America 4.",
    "Spanish road": "Vive en Ctra. Nnal. 332 y en Avda. Norte 2. ¦Fin de C/ Hnos. Ruiz.",
    "Colombian road": "Vive en Cra. 8a #99-55. ¦Vive en la Cra. ¦Refiere tos.",
    "street with a stop": "Paseo. Norte, 26. ¦Calle. Carlos Ruiz 5. ¦No sale a la calle. ¦Va bien.",
    "flat": "Vive en C/ Mayor 3. 1A. ¦Calle Sol 19. 4 Izq y Av. Alta 43. Puerta 2. ¦Paseo 3, 2. A",
    "flat with a sign": "C/. Puerto Alto, 3-2. ºB y calle Real 8. 4,2 de noche.",
    "no flat": "Calle Sol 3. ¦2 hijos. ¦Calle Sol 3. ¦A su llegada. ¦Av. Sol 3. ¦Bajo control.",
    "postcode after a house": "C/ Mayor 3. ¦28001 Madrid.",
    "flat without a street": "Toma 3. ¦1A. ¦Calle Sol. ¦Le dan 3. ¦1A. ¦Dosis de mg/c 3. ¦4,2 no.",
    "street too far away": "Calle de la Virgen de los Dos Altos del Mar y la Luz 3. ¦1A.",
    "laboratory": "Hb. 12 y Hto. 39. ¦Bien.",
    "numbers": "Temp 98.6, BP 120/80. ¦Weight 70.5 kg.",
    "no space, no end": "Seen by Dr.Smith.He left. ¦Good.",
    "brackets and quotes": 'He said "go." ¦Then (so they say.) ¦"Why?" ¦He left.',
    "opening bracket": "It grew. ¦(See below.) ¦Mass of 9 cm. (see below) was cut.",
    "quote apart from the stop": 'He left. ¦" Then he came.',
    "doubled stop": "Lives at 4 Izq.. ¦Has two sons.",
    "ellipsis": "Wait... ¦There it is ... and gone.",
    "question in brackets": "Stroke (?) in May. ¦Fine.",
    "wide stops": "東京都です。¦「元気。」¦患者は言った。¦終わり！",
    "Hindi": "वह आया। ¦वह गया।",
    "Arabic": "كيف الحال؟ ¦بخير.",
    "abbreviation of Dr in brackets": "Our doctor (Dr.) Smith came. ¦Ok.",
}

LINES = {
    "stop and name": "He was seen with Dr.\nWhittaker. ¦He was fine.",
    "title without a stop": "He was seen with Dr\nWhittaker today.",
    "lower case": "The patient has a long\nhistory of asthma.\n¦No fever.",
    "comma": "Seen by Smith,\nJones and Lowe.",
    "preposition": "Admitted from the house of\nMary Jones.",
    "hyphen": "He used a self-\nMade device.",
    "initial": "Signed by J.\nSmith on Monday.",
    "blank line": "The patient has\n\n¦asthma and\n \t\n¦fever of\r\n\r\n¦Unknown",
    "paragraph separator": "one\u2029¦two\u2028three",
    "carriage return": "The pain was\r\nsevere.\r\n¦Next.",
    "header with colon": "CHIEF COMPLAINT:\n¦chest pain\n¦Allergies:\n¦none known",
    "header in capitals": "CHIEF COMPLAINT\n¦chest pain for\ntwo days",
    "title line": "Plan of care\n¦Aspirin daily",
    "form": (
        "Datos del paciente.\n¦Nombre: Pedro.\n¦Apellidos: Ruiz\n¦Sexo: H.\n"
        "¦Tel.: 91 000\n¦Informe: varón de 53 años."
    ),
    "form without stops": "Name: John Smith\n¦DOB: 03/14/1998\n¦sex: M\n¦Room 12",
    "form in columns": "Age: 53 Sex: M\n¦Ward: 3 Bed: 12",
    "hyphen list": (
        "Medications are\n¦- aspirin 81 mg\n  daily\n¦- heparin\n¦* insulin\n¦• zinc\n¦–lead"
    ),
    "numbered list": (
        "Plan\n¦1. Aspirin. ¦Then rest.\n¦2) Surgery of the\nhip\n¦a) Left\n¦(3) Right\n¦#4 Gout"
    ),
    "letter before a line": "Plan\n¦A. The hip.\n¦B. The knee.",
    "bracket at the line end": "It grew. ¦(\nlower case)",
    "comma in front of a colon": "there was pain\nwhich, he said: was bad",
    "words too long for a key": "it was\nelectroencephalographically demonstrated inactivity: none",
    "capitals too long for a header": (
        "SEEN WITH CHEST PAIN AND SHORTNESS OF BREATH AND FEVER AND COUGH\nall day"
    ),
    "number of more than two digits is no item": "Born in\n1998. ¦He is well.",
    "number after a connector": "He waited until day\n¦3. He left on the\n5. of May.",
    "table rows": "Sodium 140\n¦Potassium 4.1\n¦WBC 7.2",
    "address lines": "Mercy Hospital\n¦12 Elm Street\n¦Springfield",
    "URL is no key": "See the page at\nhttps://x.org/a for more",
    "mark at the line end": "Did he fall?\n¦Yes!\n¦no",
    "colon then a list": "He takes:\n¦- aspirin\n¦- zinc",
}

WRAPPED = """\
Mr. Lowe is a 53 year old man who was brought in by his daughter after
he had fallen twice in the same week. ¦He lives on his own in a house near
Springfield Common and walks there every morning with his neighbour Frank
Whittaker, who found him. ¦On arrival he was awake and knew his name, but
not the day. ¦There was a bruise over the left eye of three by about 5 cm.
wide and one over the right eye.
¦The daughter says he takes no medicines.
¦Medications
¦Aspirin
"""


def cut(text: str) -> str:
    """Return `text` with ¦ before every sentence but the first."""
    tokens = tokenize(text)
    for border in tokens.sentences[-2:0:-1]:
        position = tokens.start[border]
        text = text[:position] + "¦" + text[position:]
    return text


@pytest.mark.parametrize("expected", INSIDE_A_LINE.values(), ids=INSIDE_A_LINE)
def test_sentences_inside_a_line(expected: str) -> None:
    assert cut(expected.replace("¦", "")) == expected


@pytest.mark.parametrize("expected", LINES.values(), ids=LINES)
def test_sentences_and_lines(expected: str) -> None:
    assert cut(expected.replace("¦", "")) == expected


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_wrapped_text(line_end: str) -> None:
    expected = WRAPPED.replace("\n", line_end)
    assert cut(expected.replace("¦", "")) == expected


def test_a_long_line_goes_on_even_where_no_line_is_surely_wrapped() -> None:
    text = "The patient was brought in by the neighbour and later by his daughter Mary\nLowe."
    assert cut(text) == text
    assert cut("Brought in by Mary\nLowe.") == "Brought in by Mary\n¦Lowe."


def lines_of(*widths: int, then: str) -> str:
    """Return lines of lower-case words of these widths, and one more."""
    return "\n".join([*("word " * (width // 5) + "x" * (width % 5) for width in widths), then])


def test_one_longer_line_does_not_hide_the_width() -> None:
    text = lines_of(51, 52, 53, 54, 82, 51, then="Lowe was there.")
    assert cut(text) == text


@pytest.mark.parametrize("then", ["(7-5) to him.", "2.5 mg.", "1998. x"])
def test_numbers_that_are_no_items(then: str) -> None:
    assert "¦" not in cut(lines_of(71, then=then))


@pytest.mark.parametrize("then", ["1. Aspirin", "•5 mg", "-aspirin", "(2) zinc", "b) zinc"])
def test_items_begin_even_after_a_full_line(then: str) -> None:
    assert f"¦{then}" in cut(lines_of(71, then=then))


def test_a_wrapped_line_may_go_on_with_a_colon() -> None:
    assert "¦" not in cut(lines_of(71, then="symptoms: cough"))
    assert "¦symptoms" in cut(lines_of(20, then="symptoms: cough"))


def test_a_paragraph_in_one_line_is_not_wrapped() -> None:
    text = lines_of(301, then="Lowe was there.")
    assert "¦Lowe" in cut(text)


@pytest.mark.parametrize("line_end", [".\n", "\n\n"])
def test_only_unfinished_lines_show_the_width(line_end: str) -> None:
    text = lines_of(48, 48, then="").replace("\n", line_end) + lines_of(48, then="Lowe was there.")
    assert "¦Lowe" in cut(text)


@given(st.text("aA1.?,:;-()\"' \n\r。", max_size=80))
def test_sentences_partition_the_tokens(text: str) -> None:
    tokens = tokenize(text)
    covered = [
        t
        for first, last in zip(tokens.sentences[:-1], tokens.sentences[1:], strict=True)
        for t in range(first, last)
    ]
    assert covered == list(range(len(tokens)))


@given(st.text("aA1.?,:;-()\"' \n\r。", max_size=80))
def test_no_sentence_begins_in_lower_case_or_with_a_comma_inside_a_line(text: str) -> None:
    tokens = tokenize(text)
    for border in tokens.sentences[1:-1]:
        gap = text[tokens.end[border - 1] : tokens.start[border]]
        if "\n" not in gap and "\r" not in gap:
            before = text[: tokens.end[border - 1]].rstrip("\"')")
            assert before.endswith((".", "?", "。"))
            assert text[tokens.start[border]] not in ",:;)"
            assert text[tokens.start[border]] != "a" or before.endswith("。")


def test_a_million_tokens_without_an_end() -> None:
    tokens = tokenize("word word\n" * 500_000)
    assert tokens.sentences.tolist() == [0, 1_000_000]


def test_many_closing_brackets_take_linear_time() -> None:
    tokens = tokenize("Yes." + ")]" * 300_000 + " No")
    assert len(tokens.sentences) == 3
