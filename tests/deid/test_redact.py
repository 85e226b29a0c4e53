"""Redacting: the promises that hold for every text, every policy and every set of findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.deid.actions import Drop, Generalise, Keep, Mask, Shift, Surrogate, Tag
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.policy import Policy, load_policy, policies
from lacuna.deid.redact import Redacted, Redactor
from lacuna.deid.scope import Consistency
from lacuna.deid.surrogates.pools import NameGroup, load_pools
from lacuna.errors import ConfigError, RedactionError
from lacuna.text.document import Document
from tests.deid.strategies import texts_with_findings

KEY = Key(bytes(range(32)))
RESEARCH, SAFE_HARBOR, MASK = (load_policy(name) for name in ("research", "safe-harbor", "mask"))
EVERY_ACTION = [
    *(load_policy(name) for name in policies()),
    *(
        Policy("p", Mask(), actions=dict.fromkeys(IdentifierKind, action))
        for action in (Mask(), Tag(by="label"), Surrogate(), Shift(), Generalise(), Drop())
    ),
]


def note(
    *parts: str | tuple[str, str], name: str = "n", group: str | None = None
) -> tuple[Document, list[Finding]]:
    """Write a note: plain strings, and ("Smith", "PATIENT") for what is found."""
    text, found = "", []
    for part in parts:
        piece, label = (part, "") if isinstance(part, str) else part
        if label:
            found.append(Finding(len(text), len(text) + len(piece), label, Origin.MODEL))
        text += piece
    return Document(name, text, group=group), found


def listed(
    surfaces: Iterable[str], label: str, name: str = "n", group: str | None = None
) -> tuple[Document, list[Finding]]:
    """Write a note of nothing but identifiers, one per line."""
    parts: list[str | tuple[str, str]] = []
    for surface in surfaces:
        parts += ["* ", (surface, label), "\n"]
    return note(*parts, name=name, group=group)


def lines(redacted: Redacted) -> list[str]:
    return redacted.document.text.replace("* ", "").splitlines()


def names(surfaces: Sequence[str], policy: Policy = RESEARCH, **options: object) -> list[str]:
    redactor = Redactor(policy, KEY, **options)  # type: ignore[arg-type]
    return lines(redactor.redact(*listed(surfaces, "PATIENT")))


@settings(max_examples=200)
@given(
    texts_with_findings(),
    st.sampled_from(EVERY_ACTION),
    st.sampled_from(list(Consistency)),
)
def test_all_that_was_found_is_replaced_and_all_else_is_the_same(
    case: tuple[str, list[Finding]], policy: Policy, consistency: Consistency
) -> None:
    text, findings = case
    redacted = Redactor(policy, KEY, consistency=consistency).redact(Document("d", text), findings)
    new, offsets = redacted.document.text, redacted.offsets
    hidden = [f for f in findings if not isinstance(policy.action(f.label), Keep)]
    planned = {i for span in redacted.plan for i in range(span.start, span.end)}
    for finding in hidden:
        found = {i for i in range(finding.start, finding.end) if not text[i].isspace()}
        assert found <= planned
    outside = [i for i in range(len(text)) if i not in planned]
    assert [text[i] for i in outside] == [new[offsets.to_new(i, i + 1)[0]] for i in outside]
    for i in outside:
        assert offsets.to_original(*offsets.to_new(i, i + 1)) == (i, i + 1)
    for span in redacted.plan:
        start, end = offsets.to_new(span.start, span.end)
        assert start == end or offsets.to_original(start, end) == (span.start, span.end)
    replaced = sum(offsets.new_end - offsets.new_start)
    assert len(new) == len(outside) + replaced
    assert sum(redacted.counts.values()) == len(redacted.plan)


@given(texts_with_findings())
def test_masks_show_nothing_but_line_breaks_and_length(case: tuple[str, list[Finding]]) -> None:
    text, findings = case
    redacted = Redactor(MASK, KEY).redact(Document("d", text), findings)
    new = redacted.document.text
    assert len(new) == len(text)
    for span in redacted.plan:
        assert set(new[span.start : span.end]) <= set("■\r\n")


people = st.lists(
    st.sampled_from(
        (
            *("John Smith", "Jane Smith", "Ann Lee", "Mr. Smith", "Mrs. Smith", "SMITH"),
            *("J. Smith", "O'Brien", "Zoë Díaz", "van der Berg", "Dr. Jones", "jones", "Xu Li"),
            *("JS", "AB", "Q.", "Thomas Thomas", "田中", "田", "中", "Smith-Jones", "Keller"),
            *("Jo", "Müller", "É."),
        )
    )
    | st.text("abcdefgh", min_size=1, max_size=4).map(str.capitalize),
    min_size=1,
    max_size=12,
)


@given(people, st.binary(min_size=32, max_size=32))
def test_different_names_have_different_surrogates_and_equal_ones_the_same(
    surfaces: list[str], secret: bytes
) -> None:
    redactor = Redactor(RESEARCH, Key(secret))
    new = lines(redactor.redact(*listed(surfaces, "PATIENT")))
    for (a, x), (b, y) in combinations(zip(surfaces, new, strict=True), 2):
        assert (a == b) <= (x == y)
        assert (a.casefold() != b.casefold()) <= (x.casefold() != y.casefold())
    again = Redactor(RESEARCH, Key(secret)).redact(*listed(surfaces, "PATIENT"))
    assert lines(again) == new


@given(people, st.binary(min_size=32, max_size=32))
def test_no_word_of_a_name_is_left_anywhere(surfaces: list[str], secret: bytes) -> None:
    kept = {"mr", "mrs", "dr", "van", "der"}
    new = lines(Redactor(RESEARCH, Key(secret)).redact(*listed(surfaces, "PATIENT")))
    words = {w.casefold() for line in new for w in re.findall(r"\w{2,}", line)}
    for surface in surfaces:
        assert not {w.casefold() for w in re.findall(r"\w{2,}", surface)} & words - kept


@given(people)
def test_people_who_differ_never_share_a_tag_and_the_same_always_do(surfaces: list[str]) -> None:
    new = lines(Redactor(SAFE_HARBOR, KEY).redact(*listed(surfaces, "PATIENT")))
    firsts = list(dict.fromkeys(new))
    assert firsts == [f"[NAME-{i + 1}]" for i in range(len(firsts))]
    for (a, x), (b, y) in combinations(zip(surfaces, new, strict=True), 2):
        assert (a == b) <= (x == y)
        if {a, b} in ({"John Smith", "Jane Smith"}, {"Mr. Smith", "Mrs. Smith"}, {"AB", "JS"}):
            assert x != y


FULL_NAMES = ("John Smith", "Jane Smith", "Ann Lee")


@given(
    st.lists(
        st.tuples(
            st.sampled_from((*FULL_NAMES, "SMITH, JOHN", "Mr. Smith", "Smith", "Lee")),
            st.sampled_from(("PATIENT", "DOCTOR")),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_a_full_name_is_one_person_whatever_the_label(found: list[tuple[str, str]]) -> None:
    parts = [part for surface, label in found for part in ((surface, label), "\n")]
    tags = lines(Redactor(SAFE_HARBOR, KEY).redact(*note(*parts)))
    known = [(surface.replace("SMITH, JOHN", "John Smith"), label) for surface, label in found]
    for ((a, label), x), ((b, other), y) in combinations(zip(known, tags, strict=True), 2):
        if a in FULL_NAMES and b in FULL_NAMES:
            assert (a == b) == (x == y)
        elif label == other:
            assert (a != b) or (x == y)
        elif not set(FULL_NAMES) & {surface for surface, _ in known}:
            assert x != y


def test_nobody_gets_the_name_of_somebody_else_in_the_document() -> None:
    lists = load_pools("en").names[NameGroup.LAST]
    surfaces = [name for listed_names in lists.values() for name in listed_names[:6]]
    assert set(names(surfaces)).isdisjoint(surfaces)


def test_forms_of_one_name_fit_together() -> None:
    surfaces = ["Dr. John A. Smith", "Mr. Smith", "SMITH, JOHN", "J. Smith", "smith", "JS"]
    full, mister, turned, initial, lower, letters = names(surfaces)
    title, first, middle, last = full.split()
    assert title == "Dr."
    assert re.fullmatch(r"[A-Z]\.", middle)
    assert mister == f"Mr. {last}"
    assert turned == f"{last}, {first}".upper()
    assert initial == f"{first[0]}. {last}"
    assert lower == last.lower()
    assert letters == first[0] + last[0]
    assert {first[0], last[0]}.isdisjoint({"J", "S"})


def test_a_name_has_one_surrogate_whatever_the_label() -> None:
    redactor = Redactor(RESEARCH, KEY)
    document, found = note(("John Smith", "PATIENT"), "|", ("John Smith", "DOCTOR"), group="g")
    patient, doctor = redactor.redact(document, found).document.text.split("|")
    assert patient == doctor
    later = redactor.redact(*note(("Dr. Smith", "DOCTOR"), name="m", group="g")).document.text
    assert later == f"Dr. {patient.split()[1]}"


def test_men_stay_men_and_women_women() -> None:
    groups = load_pools("en").groups
    for name in names(["Robert", "Michael", "Kevin"]):
        assert groups[name.lower()] is NameGroup.MALE
    for name in names(["Mary", "Linda", "Susan"]):
        assert groups[name.lower()] is NameGroup.FEMALE


def test_addresses_follow_the_names_wherever_they_stand() -> None:
    document, found = note(
        "Mail ", ("jsmith4@mgh.org", "EMAIL"), " or ", ("john.smith@mgh.org", "EMAIL"),
        " for ", ("John Smith", "PATIENT"), ".",
    )  # fmt: skip
    text = Redactor(RESEARCH, KEY).redact(document, found).document.text
    match = re.fullmatch(r"Mail (\w+)\d@(\S+) or (\w+)\.(\w+)@(\S+) for (\w+) (\w+)\.", text)
    assert match is not None
    short, host, user_first, user_last, other_host, first, last = match.groups()
    assert (user_first, user_last) == (first.lower(), last.lower())
    assert short == first[0].lower() + last.lower()
    assert host == other_host
    assert host.startswith("example.")


@pytest.mark.parametrize(
    ("label", "surface", "shape"),
    [
        ("PHONE", "+1 (617) 555-0134", r"\+1 \(\d{3}\) \d{3}-\d{4}"),
        ("FAX", "617 555 0134 x7040", r"\d{3} \d{3} \d{4} x\d{4}"),
        ("EMAIL", "J.COPELAND@MGH.ORG", r"[A-Z]\.[A-Z]+@EXAMPLE\.[A-Z]{3}"),
        ("SSN", "123-45-6789", r"9\d\d-\d\d-\d{4}"),
        ("MEDICALRECORD", "AB-004412x", r"[A-Z]{2}-\d{6}[a-z]"),
        ("IDNUM", "00123", r"0\d{4}"),
        ("IPADDR", "132.183.1.9", r"10(\.\d{1,3}){3}"),
        ("IPADDR", "2001:db8::1", r"fd[0-9a-f]{2}:[0-9a-f]{3}::[0-9a-f]"),
        ("URL", "https://www.mgh.org/a1?b=2", r"https://www\.\w+\.example\.\w+/[a-z]\d\?[a-z]=\d"),
        ("USERNAME", "js044", r"[a-z]{2}0\d\d"),
        ("HOSPITAL", "Smith Memorial Hospital", r"[A-Z]\w+ Memorial Hospital"),
        ("STREET", "12 Main Street", r"\d\d [A-Z]\w+ Street"),
        ("CITY", "BOSTON", r"[A-Z]+"),
        ("PROFESSION", "carpenter", r"[a-z ]+"),
        ("LOCATION-OTHER", "Room 12B", r"Room \d\d[A-Z]"),
    ],
)
def test_surrogates_keep_kind_and_shape(label: str, surface: str, shape: str) -> None:
    document, found = note("x ", (surface, label))
    new = Redactor(RESEARCH, KEY).redact(document, found).document.text[2:]
    assert re.fullmatch(shape, new)
    assert new != surface


@pytest.mark.parametrize(
    ("label", "written", "plain"),
    [
        ("PATIENT", "Jo\u200bhn Smi\u00adth", "John Smith"),
        ("PATIENT", "Bront\u00eb\u2011M\u00fcller", "Bront\u00eb-M\u00fcller"),
        ("PATIENT", "\uff2a\uff4f\uff48\uff4e\u00a0Smith", "John Smith"),
        ("SSN", "１２３\u201145\u20116789", "123-45-6789"),
        ("PHONE", "617\u00a0555\u200b0134", "617 5550134"),
        ("DATE", "15\u2011Aug\u20111979", "15-Aug-1979"),
        ("DATE", "03/14/20\u00ad14", "03/14/2014"),
        ("AGE", "９３", "93"),
        ("ZIP", "0213\u20609", "02139"),
    ],
)
@pytest.mark.parametrize("policy", [RESEARCH, SAFE_HARBOR], ids=["research", "safe-harbor"])
def test_unusual_characters_change_no_reading(
    label: str, written: str, plain: str, policy: Policy
) -> None:
    """What is written instead shows nothing of them, and both spellings are the same value."""
    new, expected = Redactor(policy, KEY).redact(*note((written, label), "|", (plain, label))
    ).document.text.split("|")  # fmt: skip
    assert new == expected
    alone = Redactor(policy, KEY).redact(*note((plain, label))).document.text
    assert new == alone


def test_masks_are_as_long_as_what_is_written() -> None:
    document, found = note(("Jo\u200bhn", "PATIENT"))
    assert Redactor(MASK, KEY).redact(document, found).document.text == "■" * 5


def test_lone_surrogates_stay_as_they_are() -> None:
    document, found = note("\ud800 ", ("Jo\u200bhn", "PATIENT"), " \udfff")
    assert Redactor(SAFE_HARBOR, KEY).redact(document, found).document.text == (
        "\ud800 [NAME-1] \udfff"
    )


def test_a_long_code_takes_linear_time_and_is_all_replaced() -> None:
    code = "1" * 500_000
    document, found = note((code, "IDNUM"))
    new = Redactor(RESEARCH, KEY).redact(document, found).document.text
    assert len(new) == len(code)
    assert all(new[i : i + 100].count("1") < 50 for i in range(0, len(new), 100))


@pytest.mark.parametrize(
    ("label", "template"),
    [
        ("IDNUM", "{:02d}"),
        ("PHONE", "555-{:04d}"),
        ("LOCATION-OTHER", "Room {}"),
        ("CITY", "Town{}"),
    ],
)
def test_other_surrogates_are_unique_too(label: str, template: str) -> None:
    surfaces = [template.format(i) for i in range(60)]
    new = lines(Redactor(RESEARCH, KEY).redact(*listed(surfaces, label)))
    assert len(set(new)) == 60
    assert not [a for a, b in zip(surfaces, new, strict=True) if a == b]


def test_what_a_key_gives_stays_the_same_from_version_to_version() -> None:
    document, found = note(
        ("617-555-0134", "PHONE"), "|", ("AB-0044x", "IDNUM"), "|", ("132.183.1.9", "IPADDR"), "|",
        ("123-45-6789", "SSN"), "|", ("03/14/2014", "DATE"), "|", ("J.R.", "DOCTOR"), group="g",
    )  # fmt: skip
    new = Redactor(RESEARCH, KEY).redact(document, found).document.text
    assert new == "473-108-9831|FG-6666y|10.116.24.119|998-97-4223|01/28/2014|B.F."


def test_documents_of_a_patient_agree_and_those_of_others_do_not() -> None:
    redactor = Redactor(RESEARCH, KEY)
    first, second, other = (
        lines(redactor.redact(*listed(surfaces, "PATIENT", name=id_, group=group)))
        for id_, group, surfaces in (
            ("1", "a", ["John Smith", "Ann Lee"]),
            ("2", "a", ["Ann Lee", "John Smith"]),
            ("3", "b", ["John Smith", "Ann Lee"]),
        )
    )
    assert first == second[::-1]
    assert set(first).isdisjoint(other)
    assert lines(Redactor(RESEARCH, KEY).redact(
        *listed(["John Smith"], "PATIENT", name="9", group="a")
    )) == first[:1]  # fmt: skip
    assert names(["John Smith"]) != lines(
        Redactor(RESEARCH, Key.random()).redact(*listed(["John Smith"], "PATIENT"))
    )


def test_consistency_says_how_far_agreement_goes() -> None:
    def two(consistency: Consistency, policy: Policy) -> list[str]:
        redactor = Redactor(policy, KEY, consistency=consistency)
        notes = [listed(["Ann Lee", "John Smith", "John Smith"], "PATIENT", name="1", group="g"),
                 listed(["John Smith"], "PATIENT", name="2", group="g")]  # fmt: skip
        return [line for one in notes for line in lines(redactor.redact(*one))]

    assert two(Consistency.PATIENT, SAFE_HARBOR) == ["[NAME-1]", "[NAME-2]", "[NAME-2]", "[NAME-2]"]
    assert two(Consistency.DOCUMENT, SAFE_HARBOR) == (
        ["[NAME-1]", "[NAME-2]", "[NAME-2]", "[NAME-1]"]
    )
    assert two(Consistency.NONE, SAFE_HARBOR) == ["[NAME-1]", "[NAME-2]", "[NAME-3]", "[NAME-1]"]
    _, a, b, c = two(Consistency.PATIENT, RESEARCH)
    assert a == b == c
    _, a, b, c = two(Consistency.DOCUMENT, RESEARCH)
    assert a == b != c
    assert len(set(two(Consistency.NONE, RESEARCH))) == 4


def test_tags_count_by_category_or_label_and_keep_labels_apart() -> None:
    document, found = note(
        ("Mr. Smith", "PATIENT"), " ", ("Dr. Smith", "DOCTOR"), " ", ("Mr. Smith", "PATIENT"), " ",
        ("617-555", "PHONE"), " ", ("617 555", "PHONE"), " ", ("x@y.z", "EMAIL"),
    )  # fmt: skip
    text = Redactor(SAFE_HARBOR, KEY).redact(document, found).document.text
    assert text == "[NAME-1] [NAME-2] [NAME-1] [CONTACT-1] [CONTACT-1] [CONTACT-2]"
    by_label = Policy("p", Tag(by="label"))
    text = Redactor(by_label, KEY).redact(document, found).document.text
    assert text == "[PATIENT-1] [DOCTOR-1] [PATIENT-1] [PHONE-1] [PHONE-1] [EMAIL-1]"
    plain = Policy("p", Tag(numbered=False))
    assert Redactor(plain, KEY).redact(document, found).document.text.startswith("[NAME] [NAME]")


def test_dates_of_a_patient_keep_their_distance_across_documents_and_notations() -> None:
    redactor = Redactor(RESEARCH, KEY)
    one = lines(redactor.redact(*listed(["03/14/2014"], "DATE", name="1", group="g")))
    two = lines(redactor.redact(*listed(["April 2, 2014"], "DATE", name="2", group="g")))
    distance = datetime.strptime(two[0], "%B %d, %Y") - datetime.strptime(one[0], "%m/%d/%Y")
    assert distance.days == 19
    other = lines(redactor.redact(*listed(["03/14/2014"], "DATE", name="3", group="h")))
    assert other != one


def test_a_year_that_is_not_written_is_that_of_the_date_before() -> None:
    policy = Policy("p", Mask(), actions={IdentifierKind.DATE: Shift(max_days=7)})
    for group in map(str, range(12)):
        surfaces = ["2/27/2012", "2/27", "2/27/2013", "2/27"]
        redactor = Redactor(policy, KEY)
        new = lines(redactor.redact(*listed(surfaces, "DATE", group=group)))
        assert new[1] == new[0].rpartition("/")[0]
        assert new[3] == new[2].rpartition("/")[0]


def test_the_locale_decides_how_numbers_are_read_and_where_names_are_from() -> None:
    document, found = listed(["01/02/2014"], "DATE")
    english = lines(Redactor(RESEARCH, KEY, locale="en").redact(document, found))
    german = lines(Redactor(RESEARCH, KEY, locale="de").redact(document, found))
    days = datetime.strptime(english[0], "%m/%d/%Y") - datetime(2014, 1, 2)
    assert datetime.strptime(german[0], "%d/%m/%Y") - datetime(2014, 2, 1) == days
    assert names(["Hans Müller"], locale="de") != names(["Hans Müller"], locale="es")
    with pytest.raises(ConfigError, match="did you mean de_DE"):
        Redactor(RESEARCH, KEY, locale="de_DD")


def test_what_is_kept_does_not_protect_what_another_label_hides_in_it() -> None:
    document, found = note("to ", ("Smith Hospital", "HOSPITAL"), ".")
    found.append(Finding(3, 8, "PATIENT", Origin.KNOWN))
    policy = Policy("p", Tag(), labels={"HOSPITAL": Keep()})
    assert Redactor(policy, KEY).redact(document, found).document.text == "to [NAME-1] Hospital."


def test_a_term_that_must_go_goes_even_from_a_date_of_which_the_year_stays() -> None:
    document, found = note("on ", ("3/14/2014", "DATE"))
    found.append(Finding(8, 12, "TERM", Origin.ALWAYS))
    assert Redactor(SAFE_HARBOR, KEY).redact(document, found).document.text == "on [TERM-1]"


def test_a_street_whose_name_is_an_everyday_word_is_not_left() -> None:
    document, found = note("at ", ("12 Park Avenue", "STREET"))
    assert Redactor(RESEARCH, KEY).redact(document, found).document.text == "at [LOCATION-1]"


def test_what_an_action_cannot_do_is_hidden_and_counted() -> None:
    document, found = note(
        ("Christmas", "DATE"), " ", ("93", "AGE"), " ", ("02139", "ZIP"), " ", ("SW1A", "ZIP"), " ",
        ("3/14/14", "DATE"), " ", ("45", "AGE"), " ", ("Boston", "UNHEARD-OF"),
    )  # fmt: skip
    redacted = Redactor(SAFE_HARBOR, KEY).redact(document, found)
    assert redacted.document.text == "[DATE-1] 90+ 021 [LOCATION-1] '14 45 [UNHEARD-OF-1]"
    assert redacted.fallbacks == {"DATE": 1, "ZIP": 1}
    assert redacted.counts == {"DATE": 2, "AGE": 2, "ZIP": 2, "UNHEARD-OF": 1}


def test_parts_of_a_discontiguous_mention_are_all_replaced() -> None:
    document, found = note(("John", "PATIENT"), " (the son of Mr.) ", ("Smith", "PATIENT"))
    new = Redactor(SAFE_HARBOR, KEY).redact(document, found).document.text
    assert new == "[NAME-1] (the son of Mr.) [NAME-2]"


def test_a_patient_is_forgotten_when_told() -> None:
    redactor = Redactor(SAFE_HARBOR, KEY)
    for number, person in (("1", "Ann Lee"), ("2", "John Smith")):
        second = lines(redactor.redact(*listed([person], "PATIENT", name=number, group="g")))
    assert second == ["[NAME-2]"]
    redactor.end_group("g")
    redactor.end_group("never seen")
    third = lines(redactor.redact(*listed(["John Smith"], "PATIENT", name="3", group="g")))
    assert third == ["[NAME-1]"]
    for i in range(50):
        redactor.redact(*listed(["John Smith"], "PATIENT", name=str(i)))
    assert len(redactor._scopes) == 1


def test_nothing_is_shown_in_errors_and_reprs() -> None:
    redactor = Redactor(RESEARCH, KEY)
    document, found = listed(["Canaryname"], "PATIENT", group="g")
    redacted = redactor.redact(document, found)
    assert "anary" not in repr(redacted) + repr(redactor) + repr(redactor._scopes)
    with pytest.raises(RedactionError) as error:
        redactor.redact(document, [Finding(0, 10_000, "PATIENT", Origin.MODEL)])
    assert "anary" not in str(error.value)
    assert str(error.value).startswith("n: ")


def test_masks_can_hide_the_length_and_tags_are_kept_apart_by_line_breaks() -> None:
    document, found = note("a ", ("Dr.\r\nSmith", "DOCTOR"), "\n")
    assert Redactor(MASK, KEY).redact(document, found).document.text == "a ■■■\r\n■■■■■\n"
    fixed = Policy("p", Mask(character="*", length=3))
    assert Redactor(fixed, KEY).redact(document, found).document.text == "a ***\n"
