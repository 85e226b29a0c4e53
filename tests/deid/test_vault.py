"""Vaults: what was taken out comes back byte for byte, as far as the file is whole."""

from __future__ import annotations

import base64
import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lacuna.deid import vault as vault_module
from lacuna.deid.findings import Finding
from lacuna.deid.keys import Key
from lacuna.deid.policy import load_policy, policies
from lacuna.deid.redact import Redactor
from lacuna.deid.rewriting import Replacement, offset_map, rewrite
from lacuna.deid.vault import Vault, create_vault, open_vault, restore
from lacuna.errors import ConfigError, VaultError
from lacuna.text.document import Document
from tests.deid.strategies import texts_with_findings
from tests.deid.test_rewriting import rewritings

PASSPHRASE = "open sesame, please"
NOTES = [
    ("one", "Seen by Dr. Smith.\r\n", [Replacement(8, 17, "[NAME-1]")]),
    ("two", "Seen by Dr. Jones.\r\n", [Replacement(8, 17, "[NAME-1]")]),
    ("three", "Zoë 😀 \ud800 1/2", [Replacement(0, 3, ""), Replacement(3, 5, "")]),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive weaker keys, and each only once."""
    monkeypatch.setattr(vault_module, "_LOG_N", 15)
    monkeypatch.setattr(vault_module, "_cipher", cache(vault_module._cipher))


def write(path: Path, passphrase: str = PASSPHRASE) -> list[str]:
    redacted = []
    path.unlink(missing_ok=True)
    with create_vault(path, passphrase) as vault:
        for name, text, replacements in NOTES:
            new = rewrite(text, replacements)
            vault.add(name, text, new, offset_map(replacements), name=f"p/{name}", group="7")
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
    vault = open_vault(path, PASSPHRASE)
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
@given(st.lists(rewritings(), min_size=1, max_size=10))
def test_any_text_is_restored(tmp_path: Path, cases: list[tuple[str, list[Replacement]]]) -> None:
    path = tmp_path / "v.bin"
    path.unlink(missing_ok=True)
    with create_vault(path, PASSPHRASE) as writer:
        for i, (text, replacements) in enumerate(cases):
            writer.add(str(i), text, rewrite(text, replacements), offset_map(replacements))
    vault = open_vault(path, PASSPHRASE)
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
    path.unlink(missing_ok=True)
    with create_vault(path, PASSPHRASE) as writer:
        redacted = [redactor.redact(d, f) for d, (_, f) in zip(documents, cases, strict=True)]
        for document, new in zip(documents, redacted, strict=True):
            writer.add(document.id, document.text, new.document.text, new.offsets)
    vault = open_vault(path, PASSPHRASE)
    for document, new in zip(documents, redacted, strict=True):
        assert restore(new.document.text, vault, document=document.id) == document.text


def test_nothing_of_the_text_can_be_read_in_the_file_the_repr_or_the_errors(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    write(path)
    assert b"Smith" not in path.read_bytes()
    vault = open_vault(path, PASSPHRASE)
    assert "Smith" not in repr(vault)
    with pytest.raises(VaultError, match="wrong passphrase") as error:
        open_vault(path, "open sesame, pleas")
    assert "sesam" not in str(error.value)


def ends_of_records(content: bytes) -> list[int]:
    """Return where each record ends: the empty one, the documents, the mark of the end."""
    ends = [27]
    while ends[-1] < len(content):
        ends.append(ends[-1] + 4 + int.from_bytes(content[ends[-1] : ends[-1] + 4], "big"))
    return ends[1:]


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    path, broken = tmp_path / "v.bin", tmp_path / "w.bin"
    write(path)
    content = path.read_bytes()
    last = ends_of_records(content)[-2]
    for place in (0, 8, 9, 10, 11, 26, *range(27, len(content))):
        for bit in (1, 128):
            changed = bytes((content[place] ^ bit,))
            broken.write_bytes(content[:place] + changed + content[place + 1 :])
            if last <= place < last + 4:  # the length of the mark of the end
                assert not open_vault(broken, PASSPHRASE).is_complete
                continue
            with pytest.raises(VaultError):
                open_vault(broken, PASSPHRASE)
    for follows in (content[last:], b"x" * 20):
        broken.write_bytes(content + follows)
        with pytest.raises(VaultError):
            open_vault(broken, PASSPHRASE)


def test_cut_anywhere_what_is_complete_is_restored(tmp_path: Path) -> None:
    path, broken = tmp_path / "v.bin", tmp_path / "w.bin"
    redacted = write(path)
    content = path.read_bytes()
    empty, *documents, _ = ends_of_records(content)
    for size in range(len(content)):
        broken.write_bytes(content[:size])
        if size < empty:
            with pytest.raises(VaultError):
                open_vault(broken, PASSPHRASE)
            continue
        count = sum(end <= size for end in documents)
        for tail in (b"", bytes(100)) if size in (empty, *documents) else (b"",):
            broken.write_bytes(content[:size] + tail)
            check_first(open_vault(broken, PASSPHRASE), redacted, count)


def check_first(vault: Vault, redacted: list[str], count: int) -> None:
    """Some documents are there, the others are not."""
    assert not vault.is_complete
    assert len(vault) == count
    for number, ((name, text, _), new) in enumerate(zip(NOTES, redacted, strict=True)):
        if number < count:
            original = vault.original(new, name)
            assert (original.text, original.name, original.group) == (text, f"p/{name}", "7")
        else:
            with pytest.raises(VaultError, match="does not contain"):
                restore(new, vault, document=name)


def test_a_changed_record_of_an_incomplete_vault_is_noticed(tmp_path: Path) -> None:
    path, broken = tmp_path / "v.bin", tmp_path / "w.bin"
    write(path)
    content = path.read_bytes()
    empty, first, *_ = ends_of_records(content)
    cut = content[:-30]
    for place in range(empty + 4, first):
        broken.write_bytes(cut[:place] + bytes((cut[place] ^ 1,)) + cut[place + 1 :])
        with pytest.raises(VaultError, match="record 1 has been changed"):
            open_vault(broken, PASSPHRASE)


def test_what_was_added_before_a_failure_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    name, text, replacements = NOTES[0]
    with suppress(RuntimeError), create_vault(path, PASSPHRASE) as writer:
        writer.add(name, text, rewrite(text, replacements), offset_map(replacements))
        raise RuntimeError
    vault = open_vault(path, PASSPHRASE)
    assert not vault.is_complete
    assert restore(rewrite(text, replacements), vault) == text


def test_a_failed_run_leaves_no_empty_vault(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), create_vault(tmp_path / "v.bin", PASSPHRASE):
        raise RuntimeError
    assert not list(tmp_path.iterdir())
    with pytest.raises(VaultError, match="cannot be read"):
        open_vault(tmp_path / "v.bin", PASSPHRASE)


@pytest.mark.parametrize(
    ("passphrase", "message"), [("", "needs a passphrase"), ("x" * 11, "at least 12 characters")]
)
def test_short_passphrases_are_refused(tmp_path: Path, passphrase: str, message: str) -> None:
    with (
        pytest.raises(ConfigError, match=message),
        create_vault(tmp_path / "v.bin", passphrase),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_a_vault_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(b"mine")
    with pytest.raises(ConfigError, match="never overwritten"), create_vault(path, PASSPHRASE):
        pass
    assert path.read_bytes() == b"mine"


def test_scrypt_is_as_strong_as_owasp_asks_and_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    path = tmp_path / "v.bin"
    write(path)
    assert len(open_vault(path, PASSPHRASE)) == 3
    content = path.read_bytes()
    log_n, r, p = content[8:11]
    assert (1 << log_n) * r * p >= (1 << 17) * 8
    for hostile in ((30, 8, 1), (17, 255, 1), (17, 8, 255), (63, 8, 1), (10, 8, 1)):
        path.write_bytes(content[:8] + bytes(hostile) + content[11:])
        with pytest.raises(VaultError, match="settings"):
            open_vault(path, PASSPHRASE)


#: Written by version 0.1 with the passphrase "old": n = 2¹⁵, no names.
OLD = base64.b85decode(
    "OhH3cPC-^N4+sHz!eI?|s!<^Z5Rlexc^roT000n8OW;m1NPS2SN1V1KvlLta002k#uC#mca%Wk^>!QF|tzUz;46"
    "SEKqE`bOU^F$3Qs>YUssTm9v?-zB-^Q0ee7j3`5n~UmZxR{=I%W0bS9uQr%^9*H6P*A607ugaWtT*9%P?;dS>Wp"
    "%SpPP$C(_@v8-mm=x{j~89N~)5Ito-RIB%f|qk>1p_o>HDK*0wSfub;4*%7>v0w!+pUL;53A^-pY5IMLdebFl-u"
    ";IIKQqtz{6#"
)


def test_vaults_of_version_0_1_are_read(tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(OLD)
    vault = open_vault(tmp_path / "v.bin", "old")
    assert vault.is_complete
    assert len(vault) == 2
    for name, text, replacements in NOTES[:2]:
        original = vault.original(rewrite(text, replacements), name)
        assert (original.text, original.name, original.group) == (text, None, None)
