"""Policies: what the ready-made ones do, what a file can say, and what it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.deid.actions import Generalise, Keep, Mask, Shift, Surrogate, Tag
from lacuna.deid.kinds import IdentifierKind, known_categories, known_kinds
from lacuna.deid.policy import Policy, load_policy, policies
from lacuna.errors import ConfigError


def policy_of(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "own.toml"
    path.write_text(text, "utf-8")
    return load_policy(path)


@pytest.mark.parametrize("name", policies())
def test_ready_made_policies_hide_every_known_label_but_states_and_countries(name: str) -> None:
    policy = load_policy(name)
    assert policy.description
    kept = {label for label in known_kinds() if isinstance(policy.action(label), Keep)}
    assert kept == (set() if name == "mask" else {"STATE", "COUNTRY", "PAIS"})
    assert isinstance(policy.action("UNHEARD-OF"), Mask if name == "mask" else Tag)


def test_the_folder_of_policies_is_listed_with_summaries() -> None:
    assert list(policies()) == ["mask", "research", "safe-harbor"]
    assert all(what == load_policy(name).description for name, what in policies().items())


def test_every_label_of_the_bundled_maps_has_a_kind() -> None:
    assert set(known_categories()) <= set(known_kinds())
    assert Policy("p", Mask()).kind("UNHEARD-OF") == IdentifierKind.OTHER
    assert Policy("p", Mask()).category("DOCTOR") == "NAME"
    assert Policy("p", Mask()).category("UNHEARD-OF") == "UNHEARD-OF"


def test_labels_come_before_kinds_before_the_default(tmp_path: Path) -> None:
    policy = policy_of(
        tmp_path,
        """
        default = { action = "mask", character = "*", length = 3 }
        [actions]
        person = "surrogate"
        date = { action = "shift", weeks = true }
        [labels]
        DOCTOR = "keep"
        [kinds]
        TIER = "person"
        [categories]
        TIER = "NAME"
        [patterns.study]
        pattern = 'ST-\\d{6}'
        label = "IDNUM"
        """,
    )
    assert policy.action("DOCTOR") == Keep()
    assert policy.action("PATIENT") == policy.action("TIER") == Surrogate()
    assert policy.action("DATE") == Shift(weeks=True)
    assert policy.action("PHONE") == Mask(character="*", length=3)
    assert policy.category("TIER") == "NAME"
    assert policy.patterns["study"].pattern == r"ST-\d{6}"


def test_a_base_is_kept_where_nothing_is_said(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, 'base = "safe-harbor"\n[actions]\ncity = "keep"')
    assert policy.action("CITY") == Keep()
    assert policy.action("DATE") == Generalise()


def test_the_digest_follows_what_is_done_and_nothing_else(tmp_path: Path) -> None:
    text = 'default = "mask"\n[actions]\ndate = "shift"\nage = "keep"'
    one = policy_of(tmp_path, text).digest
    other = 'description = "x"\ndefault = "mask"\n[actions]\nage = "keep"\n'
    assert policy_of(tmp_path, other + 'date = { action = "shift" }').digest == one
    assert policy_of(tmp_path, other + 'date = { action = "shift", weeks = true }').digest != one
    assert len(one) == 64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "default is missing"),
        ('default = "keep"', "must be mask, tag or drop"),
        ('default = "shift"', "must be mask, tag or drop"),
        ('default = "msk"', "unknown action msk; did you mean mask?"),
        ('defualt = "mask"', "unknown key defualt; did you mean default?"),
        ('default = "mask"\n[actions]\npersn = "tag"', "unknown kind persn; did you mean person?"),
        (
            'default = "mask"\n[labels]\nX = { action = "shift", week = true }',
            "did you mean weeks?",
        ),
        ('default = "mask"\n[labels]\nX = { action = "shift", max_days = 1 }', ">= 7"),
        ('default = "mask"\n[labels]\nX = 3', "expected"),
        ('default = "mask"\n[kinds]\nX = "peron"', "unknown kind peron; did you mean person?"),
        ('default = "mask"\n[kinds]\nX = 3', "Expected"),
        ('default = "mask"\nlabels = 3', "labels must be a table"),
        ('default = "mask"\n[patterns.a]\npatern = "x"', "did you mean pattern?"),
        ('default = "mask"\n[patterns.a]\npattern = "x"', "label"),
        ('default = "mask"\n[patterns]\na = "x"', "must be a table"),
        ('base = "reserch"', "unknown policy reserch; did you mean research?"),
        ("default = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named_with_the_nearest_name(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        policy_of(tmp_path, text)
    assert message in str(error.value)
    assert "own.toml" in str(error.value)


def test_unknown_names_and_missing_files() -> None:
    with pytest.raises(ConfigError, match="did you mean safe-harbor"):
        load_policy("safe-harbour")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_policy("nowhere.toml")
