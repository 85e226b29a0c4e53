"""The vault: an encrypted file from which redacted texts can be restored, byte for byte.

::

    header   "LACUNAV1", scrypt's log₂ n, r, p, 16 bytes of salt
    records  length (4 bytes), AES-256-GCM of the record; number 0 is empty, then one per document,
             and one marked as the last

The key of the cipher is scrypt(passphrase, salt). The nonce of a record is its number; header,
number and "is last" are authenticated with it, so a record that was changed, moved, removed or cut
off at the end is detected.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lacuna.deid.rewriting import OffsetMap, Replacement, rewrite
from lacuna.errors import ConfigError, VaultError
from lacuna.io.writing import whole_file

_MAGIC = b"LACUNAV1"
_LOG_N, _R, _P = 15, 8, 1  # 32 MB and about a tenth of a second
_HEADER_BYTES = len(_MAGIC) + 3 + 16
_MAX_RECORD = 1 << 30
_TOO_BIG = "a vault cannot contain a document with more than 1 GB of identifiers"


class _Record(msgspec.Struct, array_like=True):
    """The identifiers of one document: new start, new end, original text."""

    document: bytes
    digest: bytes  #: SHA-256 of the redacted text
    originals: list[tuple[int, int, bytes]]


class VaultWriter:
    """Adds documents to a vault; see :func:`create_vault`."""

    def __init__(self, stream: BinaryIO, passphrase: str) -> None:
        salt = secrets.token_bytes(16)
        self._stream = stream
        self._header = _MAGIC + bytes((_LOG_N, _R, _P)) + salt
        self._cipher = _cipher(passphrase, self._header)
        self._count = 0
        stream.write(self._header)
        self._write(b"", is_last=False)

    def add(self, document: str, original: str, redacted: str, offsets: OffsetMap) -> None:
        """Add a document by its id, its text before and after, and the map between them."""
        spans = zip(
            offsets.original_start.tolist(),
            offsets.original_end.tolist(),
            offsets.new_start.tolist(),
            offsets.new_end.tolist(),
            strict=True,
        )
        originals = [(new, end, _bytes(original[a:b])) for a, b, new, end in spans]
        record = _Record(_bytes(document), _digest(redacted), originals)
        self._write(msgspec.msgpack.encode(record), is_last=False)

    def finish(self) -> None:
        """Write the last record."""
        self._write(b"", is_last=True)

    def _write(self, content: bytes, *, is_last: bool) -> None:
        if len(content) > _MAX_RECORD:
            raise VaultError(_TOO_BIG)
        nonce, bound = _nonce(self._count), _bound(self._header, self._count, is_last)
        sealed = self._cipher.encrypt(nonce, content, bound)
        self._stream.write(len(sealed).to_bytes(4, "big") + sealed)
        self._count += 1


@contextmanager
def create_vault(path: Path, passphrase: str) -> Iterator[VaultWriter]:
    """Write a vault that only its owner can read; it is created only if the block succeeds."""
    if not passphrase:
        raise ConfigError("a vault needs a passphrase")
    with whole_file(path) as stream:
        os.fchmod(stream.fileno(), 0o600)
        writer = VaultWriter(stream, passphrase)
        yield writer
        writer.finish()


class Vault:
    """An opened vault; its repr shows only the number of documents."""

    def __init__(self, path: Path, records: Sequence[_Record]) -> None:
        self._path = path
        self._records: dict[bytes, list[_Record]] = {}
        for record in records:
            self._records.setdefault(record.digest, []).append(record)

    def __repr__(self) -> str:
        return f"Vault({str(self._path)!r}, {len(self)} documents)"

    def __len__(self) -> int:
        return sum(map(len, self._records.values()))

    def find(self, text: str, document: str | None) -> _Record:
        """Return the record of a redacted text."""
        same = self._records.get(_digest(text), [])
        if document is not None:
            same = [record for record in same if record.document == _bytes(document)]
        if not same:
            raise VaultError(f"{self._path}: does not contain this text; has it been changed?")
        if any(record.originals != same[0].originals for record in same):
            raise VaultError(f"{self._path}: contains several originals of this text; give the id")
        return same[0]


def open_vault(path: Path, passphrase: str) -> Vault:
    """Read a vault.

    Raises
    ------
    VaultError
        If the passphrase is wrong, or the file was changed, is cut off or is no vault.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise VaultError(f"{path}: cannot be read: {error.strerror}") from error
    header = content[:_HEADER_BYTES]
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise VaultError(f"{path}: not a vault, or one of another version")
    if header[len(_MAGIC) : len(_MAGIC) + 3] != bytes((_LOG_N, _R, _P)):
        raise VaultError(f"{path}: its settings are not those of this version, or were changed")
    cipher = _cipher(passphrase, header)
    records: list[_Record] = []
    place, count = _HEADER_BYTES, 0
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        sealed = content[place + 4 : place + 4 + size]
        place += 4 + size
        if place > len(content):
            raise VaultError(f"{path}: is cut off")
        plain = _unseal(path, cipher, header, sealed, count, is_last=place == len(content))
        if count and plain:
            records.append(_decode(path, plain))
        count += 1
    if count < 2:
        raise VaultError(f"{path}: is cut off")
    return Vault(path, records)


def restore(text: str, vault: Vault, *, document: str | None = None) -> str:
    """Return the original of a redacted text, byte for byte.

    Parameters
    ----------
    text
        Exactly as it was written.
    vault
        Of the run that wrote it.
    document
        Its id; needed only if several documents became the same text.

    Raises
    ------
    VaultError
        If the vault does not contain this text.
    """
    originals = vault.find(text, document).originals
    back = [Replacement(start, end, _text(original)) for start, end, original in originals]
    return rewrite(text, back)


def _unseal(
    path: Path, cipher: AESGCM, header: bytes, sealed: bytes, count: int, *, is_last: bool
) -> bytes:
    """Return the content of record `count`; the one at the end must be marked as the last."""
    try:
        return cipher.decrypt(_nonce(count), sealed, _bound(header, count, is_last))
    except InvalidTag:
        pass
    try:
        cipher.decrypt(_nonce(count), sealed, _bound(header, count, not is_last))
    except InvalidTag:
        if count == 0:
            raise VaultError(f"{path}: wrong passphrase, or its start was changed") from None
        raise VaultError(f"{path}: record {count} has been changed") from None
    raise VaultError(f"{path}: is cut off" if is_last else f"{path}: something follows its end")


def _cipher(passphrase: str, header: bytes) -> AESGCM:
    salt = header[-16:]
    return AESGCM(
        hashlib.scrypt(
            _bytes(passphrase), salt=salt, n=1 << _LOG_N, r=_R, p=_P, maxmem=1 << 27, dklen=32
        )
    )


def _nonce(count: int) -> bytes:
    return count.to_bytes(12, "big")


def _bound(header: bytes, count: int, is_last: bool) -> bytes:
    return header + count.to_bytes(8, "big") + bytes((is_last,))


def _digest(text: str) -> bytes:
    return hashlib.sha256(_bytes(text)).digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


def _decode(path: Path, content: bytes) -> _Record:
    try:
        return msgspec.msgpack.decode(content, type=_Record)
    except msgspec.DecodeError as error:
        raise VaultError(f"{path}: a record has another form: {error}") from None
