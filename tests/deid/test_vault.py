"""Vaults: what was taken out comes back byte for byte, and only with passphrase and whole file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.deid.findings import Finding
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy, policies
from lacuna.deid.redact import Redactor
from lacuna.deid.rewriting import Replacement, offset_map, rewrite
from lacuna.deid.vault import create_vault, open_vault, restore
from lacuna.errors import ConfigError, VaultError
from lacuna.text.document import Document
from tests.deid.strategies import texts_with_findings
from tests.deid.test_rewriting import rewritings

NOTES = [
    ("one", "Seen by Dr. Smith.\r\n", [Replacement(8, 17, "[NAME-1]")]),
    ("two", "Seen by Dr. Jones.\r\n", [Replacement(8, 17, "[NAME-1]")]),
    ("three", "Zoë 😀 \ud800 1/2", [Replacement(0, 3, ""), Replacement(3, 5, "")]),
]


def write(path: Path, passphrase: str = "open sesame") -> list[str]:
    redacted = []
    with create_vault(path, passphrase) as vault:
        for name, text, replacements in NOTES:
            new = rewrite(text, replacements)
            vault.add(name, text, new, offset_map(replacements))
            redacted.append(new)
    return redacted


def test_texts_come_back_and_equal_ones_by_their_id(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    before = os.umask(0)
    try:
        redacted = write(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    vault = open_vault(path, "open sesame")
    assert len(vault) == 3
    for (name, text, _), new in zip(NOTES, redacted, strict=True):
        assert restore(new, vault, document=name) == text
    assert restore(redacted[2], vault) == NOTES[2][1]
    with pytest.raises(VaultError, match="give the id"):
        restore(redacted[0], vault)
    with pytest.raises(VaultError, match="does not contain"):
        restore(redacted[0] + " ", vault)
    with pytest.raises(VaultError, match="does not contain"):
        restore(redacted[2], vault, document="one")


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(rewritings(), max_size=10))
def test_any_text_is_restored(tmp_path: Path, cases: list[tuple[str, list[Replacement]]]) -> None:
    path = tmp_path / "v.bin"
    with create_vault(path, "p") as writer:
        for i, (text, replacements) in enumerate(cases):
            writer.add(str(i), text, rewrite(text, replacements), offset_map(replacements))
    vault = open_vault(path, "p")
    for i, (text, replacements) in enumerate(cases):
        assert restore(rewrite(text, replacements), vault, document=str(i)) == text


@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(texts_with_findings(), min_size=1, max_size=30), st.sampled_from(list(policies())))
def test_whatever_was_redacted_is_restored(
    tmp_path: Path, cases: list[tuple[str, list[Finding]]], policy: str
) -> None:
    redactor = Redactor(load_policy(policy), Key(bytes(32)))
    documents = [Document(str(i), text, group="g") for i, (text, _) in enumerate(cases)]
    path = tmp_path / "v.bin"
    with create_vault(path, "p") as writer:
        redacted = [redactor.redact(d, f) for d, (_, f) in zip(documents, cases, strict=True)]
        for document, new in zip(documents, redacted, strict=True):
            writer.add(document.id, document.text, new.document.text, new.offsets)
    vault = open_vault(path, "p")
    for document, new in zip(documents, redacted, strict=True):
        assert restore(new.document.text, vault, document=document.id) == document.text


def test_nothing_of_the_text_can_be_read_in_the_file_the_repr_or_the_errors(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    write(path)
    assert b"Smith" not in path.read_bytes()
    vault = open_vault(path, "open sesame")
    assert "Smith" not in repr(vault)
    with pytest.raises(VaultError, match="wrong passphrase") as error:
        open_vault(path, "open sesam")
    assert "sesam" not in str(error.value)


def test_every_changed_byte_and_every_cut_is_noticed(tmp_path: Path) -> None:
    path, broken = tmp_path / "v.bin", tmp_path / "w.bin"
    write(path)
    content = path.read_bytes()
    for place in (0, 8, 12, 30, len(content) // 2, len(content) - 1):
        broken.write_bytes(content[:place] + bytes((content[place] ^ 1,)) + content[place + 1 :])
        with pytest.raises(VaultError):
            open_vault(broken, "open sesame")
    last = len(content) - 20  # the record that says it is the last
    for size in (0, 27, 47, last, len(content) - 1):
        broken.write_bytes(content[:size])
        with pytest.raises(VaultError):
            open_vault(broken, "open sesame")
    broken.write_bytes(content + content[last:])
    with pytest.raises(VaultError):
        open_vault(broken, "open sesame")


def test_a_failed_run_leaves_no_vault(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), create_vault(tmp_path / "v.bin", "p"):
        raise RuntimeError
    assert not list(tmp_path.iterdir())
    with pytest.raises(ConfigError, match="passphrase"), create_vault(tmp_path / "v.bin", ""):
        pass
    with pytest.raises(VaultError, match="cannot be read"):
        open_vault(tmp_path / "v.bin", "p")
