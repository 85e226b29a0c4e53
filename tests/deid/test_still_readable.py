"""What counts as leaked: brute force over the new text, by hand, and with every policy."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy
from lacuna.deid.redact import Redactor
from lacuna.deid.still_readable import hidden, identifiers, leaked, needless, without_punctuation
from lacuna.deid.what_stays import WhatStays
from lacuna.text.document import Document, Mention

KEY = Key(bytes(range(32)))
TEXT = "Ana Sato, 92, seen 03/14/2014 in Ohio, room 1427, ward Nord."


def at(words: str, label: str) -> Mention:
    start = TEXT.index(words)
    return Mention.of(label, (start, start + len(words)))


GOLD = Document(
    "d",
    TEXT,
    (
        at("Ana Sato", "PATIENT"),
        at("92", "AGE"),
        at("03/14/2014", "DATE"),
        at("Ohio", "STATE"),
        at("1427", "ROOM"),
    ),
)


def outcome(policy: str, *found: Mention) -> tuple[Document, Document]:
    stays = WhatStays(load_policy(policy))
    findings = [
        Finding(span.start, span.end, mention.label, Origin.MODEL)
        for mention in found
        for span in mention.spans
    ]
    redacted = Redactor(load_policy(policy), KEY).redact(Document("d", TEXT), findings)
    wanted = identifiers(stays, GOLD)
    return wanted, hidden(stays, wanted, redacted)


def surfaces(document: Document) -> list[str]:
    return [mention.surface(TEXT) for mention in document.mentions]


def test_what_the_policy_leaves_is_no_identifier() -> None:
    stays = WhatStays(load_policy("safe-harbor"))
    assert surfaces(identifiers(stays, GOLD)) == ["Ana Sato", "92", "03/14/", "1427"]
    shifted = WhatStays(load_policy("research"))
    assert "03/14/2014" in surfaces(identifiers(shifted, GOLD))


def test_everything_found_is_hidden() -> None:
    wanted, gone = outcome("safe-harbor", *GOLD.mentions)
    assert surfaces(gone) == ["Ana Sato", "92", "03/14/", "1427"]
    assert not leaked(wanted, gone).mentions
    assert not needless(wanted, gone).mentions


def test_nothing_found_leaks_everything() -> None:
    wanted, gone = outcome("safe-harbor")
    assert leaked(wanted, gone).mentions == wanted.mentions


def test_a_kept_label_hides_nothing() -> None:
    wanted, gone = outcome("safe-harbor", at("Sato", "STATE"))
    assert not gone.mentions
    assert surfaces(leaked(wanted, gone))[0] == "Ana Sato"


def test_half_a_name_leaks() -> None:
    wanted, gone = outcome("safe-harbor", at("Ana", "PATIENT"))
    assert surfaces(leaked(wanted, gone))[0] == "Sato"


def test_a_room_number_that_stays_as_a_year_leaks() -> None:
    """Generalised dates keep their year: found is not hidden."""
    policy = load_policy("safe-harbor")
    text = "seen in room 1997 today"
    gold = Document("d", text, (Mention.of("ROOM", (13, 17)),))
    stays = WhatStays(policy)
    found = [Finding(13, 17, "DATE", Origin.MODEL)]
    redacted = Redactor(policy, KEY).redact(Document("d", text), found)
    assert redacted.document.text == text
    wanted = identifiers(stays, gold)
    assert leaked(wanted, hidden(stays, wanted, redacted)).mentions == gold.mentions


def test_a_shifted_date_is_hidden_and_something_else_found_as_a_date_may_not_be() -> None:
    wanted, gone = outcome("research", at("03/14/2014", "DATE"))
    assert "03/14/2014" in surfaces(gone)
    assert "03/14/2014" not in surfaces(leaked(wanted, gone))
    phone = Document("d", TEXT, (at("03/14/2014", "PHONE"),))
    policy = load_policy("research")
    redacted = Redactor(policy, KEY).redact(
        Document("d", TEXT), [Finding(19, 29, "DATE", Origin.MODEL)]
    )
    (instead,) = redacted.instead
    stays = WhatStays(policy)
    wanted = identifiers(stays, phone)
    left = leaked(wanted, hidden(stays, wanted, redacted))
    there = re.findall(r"\d+|/", instead)
    expected = [word for word in re.findall(r"\d+|/", "03/14/2014") if word in there]
    assert "".join(surfaces(left)).replace(" … ", "") == "".join(expected)


def test_a_date_that_became_a_tag_is_hidden() -> None:
    """The tag has a 1 and a hyphen of its own."""
    policy = load_policy("safe-harbor")
    document = Document("d", "On 1-5 seen.", (Mention.of("DATE", (3, 6)),))
    stays = WhatStays(policy)
    redacted = Redactor(policy, KEY).redact(document, [Finding(3, 6, "DATE", Origin.MODEL)])
    assert redacted.document.text == "On [DATE-1] seen."
    wanted = identifiers(stays, document)
    gone = hidden(stays, wanted, redacted)
    assert [m.surface(document.text) for m in gone.mentions] == ["1-5"]


def test_signs_between_hidden_words_are_no_leak() -> None:
    text = "ref FMcA/jb/RX448210 and (rkv)."
    whole = (Mention.of("ID", (4, 20)), Mention.of("ID", (25, 30)))
    wanted = Document("d", text, whole)
    found = (Mention.of("ID", (4, 8)), Mention.of("ID", (9, 11)), Mention.of("ID", (12, 20)))
    gone = Document("d", text, found)
    rest = without_punctuation(wanted, gone)
    assert [m.surface(text) for m in rest.mentions] == ["FMcA … jb … RX448210", "rkv"]
    assert [m.surface(text) for m in leaked(rest, gone).mentions] == ["rkv"]
    assert without_punctuation(wanted, wanted).mentions == whole


def test_what_was_removed_needlessly() -> None:
    wanted, gone = outcome("safe-harbor", at("Sato", "DOCTOR"), at("Nord", "HOSPITAL"))
    assert surfaces(needless(wanted, gone)) == ["Nord"]


def test_placeholders_of_the_original_are_not_findings() -> None:
    policy = load_policy("safe-harbor")
    document = Document("d", "Seen [NAME-1] by Dr. Jones.")
    redacted = Redactor(policy, KEY).redact(document, [Finding(21, 26, "DOCTOR", Origin.MODEL)])
    assert redacted.placeholders == 1
    gone = hidden(WhatStays(policy), document, redacted)
    assert [m.surface(document.text) for m in gone.mentions] == ["Jones"]


WORDS = st.lists(
    st.sampled_from(["Ann", "Lee", "2014", "Ohio", "03/14/2014", "91", "44", "May 23, 2012"]),
    min_size=1,
    max_size=8,
)
LABELS = st.sampled_from(["PATIENT", "DATE", "AGE", "STATE", "PHONE", "CUSTOM"])


@pytest.mark.parametrize("policy", ["safe-harbor", "mask"])
@given(words=WORDS, data=st.data())
def test_what_is_said_to_stay_is_in_the_text(
    policy: str, words: list[str], data: st.DataObject
) -> None:
    """Every word is in the new text just as often as it is said not to be hidden."""
    text = " - ".join(words)
    starts = [len(" - ".join([*words[:i], ""])) for i in range(len(words))]
    spans = [(start, start + len(word)) for start, word in zip(starts, words, strict=True)]
    labels = st.lists(st.none() | LABELS, min_size=len(words), max_size=len(words))
    found, truth = (
        [(label, span) for label, span in zip(data.draw(labels), spans, strict=True) if label]
        for _ in range(2)
    )
    chosen = load_policy(policy)
    stays = WhatStays(chosen)
    findings = [Finding(*span, label, Origin.MODEL) for label, span in found]
    redacted = Redactor(chosen, KEY).redact(Document("d", text), findings)
    mentions = tuple(Mention.of(label, span) for label, span in truth)
    wanted = identifiers(stays, Document("d", text, mentions))
    gone = hidden(stays, wanted, redacted)
    covered = {c for m in gone.mentions for s in m.spans for c in range(s.start, s.end)}
    new = Counter(re.findall(r"\w+", redacted.document.text))
    said = Counter(m[0] for m in re.finditer(r"\w+", text) if m.start() not in covered)
    assert {word: new[word] for word in said} == said
    left = {c for m in leaked(wanted, gone).mentions for s in m.spans for c in range(*s)}
    inside = {c for m in wanted.mentions for s in m.spans for c in range(*s)}
    spaces = {i for i, character in enumerate(text) if character.isspace()}
    assert left - spaces == inside - covered - spaces
