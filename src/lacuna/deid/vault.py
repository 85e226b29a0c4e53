"""The vault: an encrypted file from which redacted texts can be restored, byte for byte.

::

    header   "LACUNAV1", scrypt's log₂ n, r, p, 16 bytes of salt
    records  length (4 bytes), AES-256-GCM of the record; number 0 is empty, then one per document
             or table, and one marked as the last

The key of the cipher is scrypt(passphrase, salt). The nonce of a record is its number; header,
number and "is last" are authenticated with it, so a record that was changed, moved or removed is
detected. The records of a run that was killed can be read as far as they are complete; the mark of
the last one is then missing, and :attr:`Vault.is_complete` is false.
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

SHORTEST_PASSPHRASE = 12  #: characters, of a new vault
_MAGIC = b"LACUNAV1"
_LOG_N, _R, _P = 17, 8, 1  # OWASP's minimum: 128 MB and about half a second
_ALLOWED_LOG_N, _ALLOWED_P = range(15, 19), range(1, 5)  # what a file may demand; 15 is that of 0.1
_HEADER_BYTES = len(_MAGIC) + 3 + 16
_TAG_BYTES = 16
_MAX_RECORD = 1 << 30
_TOO_BIG = "a vault cannot contain a document with more than 1 GB of identifiers"


class _Record(msgspec.Struct, array_like=True):
    """A document or a table.

    Attributes
    ----------
    document
        Name of the output, or new id of the row.
    digest
        SHA-256 of the redacted text; empty for a table.
    originals
        The identifiers: new start, new end, original text.
    name, group
        Original path or id, and group; vaults of version 0.1 have none.
    columns
        Of a table: names of the columns with text, id and group.
    """

    document: bytes
    digest: bytes
    originals: list[tuple[int, int, bytes]]
    name: bytes = b""
    group: bytes | None = None
    columns: tuple[str, str | None, str | None] | None = None


class Original(msgspec.Struct, frozen=True):
    """A restored text with its original path or id, if the vault has it, and its group."""

    text: str
    name: str | None
    group: str | None


class OriginalTable(msgspec.Struct, frozen=True):
    """The original path of a table, and its columns with text, id and group."""

    name: str
    columns: tuple[str, str | None, str | None]


class VaultWriter:
    """Adds documents to a vault; see :func:`create_vault`."""

    def __init__(self, stream: BinaryIO, passphrase: str) -> None:
        salt = secrets.token_bytes(16)
        self._stream = stream
        self._header = _MAGIC + bytes((_LOG_N, _R, _P)) + salt
        self._cipher = _cipher(passphrase, self._header)
        self._count = 0
        self.is_empty = True  #: whether nothing has been added
        stream.write(self._header)
        self._write(b"", is_last=False)

    def add(
        self,
        document: str,
        original: str,
        redacted: str,
        offsets: OffsetMap,
        *,
        name: str = "",
        group: str | None = None,
    ) -> None:
        """Add a document.

        Parameters
        ----------
        document
            Its name or id in the output.
        original, redacted, offsets
            Its text before and after, and the map between them.
        name, group
            Its original path or id, and its group.
        """
        spans = zip(
            offsets.original_start.tolist(),
            offsets.original_end.tolist(),
            offsets.new_start.tolist(),
            offsets.new_end.tolist(),
            strict=True,
        )
        originals = [(new, end, _bytes(original[a:b])) for a, b, new, end in spans]
        own = None if group is None else _bytes(group)
        self._add(_Record(_bytes(document), _digest(redacted), originals, _bytes(name), own))

    def add_table(
        self, document: str, name: str, columns: tuple[str, str | None, str | None]
    ) -> None:
        """Add a table by its name in the output, its original path and its columns."""
        self._add(_Record(_bytes(document), b"", [], _bytes(name), columns=columns))

    def flush(self) -> None:
        """Wait until everything that was added is on disk."""
        self._stream.flush()
        os.fsync(self._stream.fileno())

    def finish(self) -> None:
        """Write the last record."""
        self._write(b"", is_last=True)
        self.flush()

    def _add(self, record: _Record) -> None:
        self.is_empty = False
        self._write(msgspec.msgpack.encode(record), is_last=False)

    def _write(self, content: bytes, *, is_last: bool) -> None:
        if len(content) > _MAX_RECORD:
            raise VaultError(_TOO_BIG)
        nonce, bound = _nonce(self._count), _bound(self._header, self._count, is_last)
        sealed = self._cipher.encrypt(nonce, content, bound)
        self._stream.write(len(sealed).to_bytes(4, "big") + sealed)
        self._count += 1


def check_new_vault(path: Path, passphrase: str) -> None:
    """Raise if a vault cannot be created: a vault is never overwritten, and guards its contents."""
    if not passphrase:
        raise ConfigError("a vault needs a passphrase")
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise ConfigError(
            f"the passphrase of a vault must have at least {SHORTEST_PASSPHRASE} characters"
        )
    if path.exists() or path.is_symlink():
        raise ConfigError(f"{path}: exists; a vault is never overwritten")


@contextmanager
def create_vault(path: Path, passphrase: str) -> Iterator[VaultWriter]:
    """Write a vault that only its owner can read.

    If the block fails, or the process is killed, what was added can still be restored. A vault to
    which nothing was added is removed.
    """
    check_new_vault(path, passphrase)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    with os.fdopen(handle, "wb") as stream:
        writer = VaultWriter(stream, passphrase)
        stream.flush()
        try:
            yield writer
            writer.finish()
        finally:
            if writer.is_empty:
                path.unlink(missing_ok=True)


class Vault:
    """An opened vault; its repr shows only the number of documents.

    Attributes
    ----------
    is_complete
        Whether the run that wrote it came to its end.
    """

    def __init__(self, path: Path, records: Sequence[_Record], *, is_complete: bool) -> None:
        self.is_complete = is_complete
        self._path = path
        self._records: dict[bytes, list[_Record]] = {}
        self._tables: dict[bytes, _Record] = {}
        for record in records:
            if record.columns is not None:
                self._tables[record.document] = record
            else:
                self._records.setdefault(record.digest, []).append(record)

    def __repr__(self) -> str:
        return f"Vault({str(self._path)!r}, {len(self)} documents)"

    def __len__(self) -> int:
        return sum(map(len, self._records.values()))

    def original(self, text: str, document: str | None = None) -> Original:
        """Return the original of a redacted text.

        Parameters
        ----------
        text
            Exactly as it was written.
        document
            Its name or id in the output; needed only if several documents became the same text.

        Raises
        ------
        VaultError
            If the vault does not contain this text.
        """
        same = self._records.get(_digest(text), [])
        if document is not None:
            same = [record for record in same if record.document == _bytes(document)]
        if not same:
            raise VaultError(f"{self._path}: does not contain this text; has it been changed?")
        record = same[0]
        if any(other.originals != record.originals for other in same):
            raise VaultError(f"{self._path}: contains several originals of this text; give the id")
        back = [Replacement(start, end, _text(old)) for start, end, old in record.originals]
        is_sure = all((other.name, other.group) == (record.name, record.group) for other in same)
        return Original(
            rewrite(text, back),
            _text(record.name) if record.name and is_sure else None,
            _text(record.group) if record.group is not None and is_sure else None,
        )

    def table(self, document: str) -> OriginalTable | None:
        """Return what is known of a table by its name in the output."""
        record = self._tables.get(_bytes(document))
        if record is None or record.columns is None:
            return None
        return OriginalTable(_text(record.name), record.columns)


def open_vault(path: Path, passphrase: str) -> Vault:
    """Read a vault, as far as it is complete.

    Raises
    ------
    VaultError
        If the passphrase is wrong, or the file was changed, is cut off before the first document
        or is no vault.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise VaultError(f"{path}: cannot be read: {error.strerror}") from error
    header = content[:_HEADER_BYTES]
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise VaultError(f"{path}: not a vault, or one of another version")
    log_n, r, p = header[len(_MAGIC) : len(_MAGIC) + 3]
    if log_n not in _ALLOWED_LOG_N or r != _R or p not in _ALLOWED_P:
        raise VaultError(f"{path}: its settings are not those of this version, or were changed")
    cipher = _cipher(passphrase, header)
    records: list[_Record] = []
    is_complete = False
    for count, (sealed, is_at_end) in enumerate(_sealed_records(path, content)):
        plain, is_complete = _unseal(path, cipher, header, sealed, count)
        if is_complete and not is_at_end:
            raise VaultError(f"{path}: something follows its end")
        if plain:
            records.append(_decode(path, plain))
    return Vault(path, records, is_complete=is_complete)


def _sealed_records(path: Path, content: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield each complete record, and whether it is at the end of the file.

    A record that is cut off is the last thing a killed run wrote. If the file ends with a record of
    the size of the end mark, it is not cut off, and a length that leads beyond it is wrong.
    """
    place, count = _HEADER_BYTES, 0
    has_end = content[-_TAG_BYTES - 4 : -_TAG_BYTES] == _TAG_BYTES.to_bytes(4, "big")
    while place < len(content):
        size = int.from_bytes(content[place : place + 4], "big")
        start, place = place + 4, place + 4 + size
        if not size and not any(content[start - 4 :]):  # space that the system never filled
            break
        if start > len(content) or place > len(content):
            if has_end:
                raise VaultError(f"{path}: record {count} has been changed")
            break
        yield content[start:place], place == len(content)
        count += 1
    if not count:
        raise VaultError(f"{path}: is cut off")


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
    return vault.original(text, document).text


def _unseal(
    path: Path, cipher: AESGCM, header: bytes, sealed: bytes, count: int
) -> tuple[bytes, bool]:
    """Return the content of a record, and whether it is marked as the last."""
    for is_last in (False, True):
        try:
            return cipher.decrypt(_nonce(count), sealed, _bound(header, count, is_last)), is_last
        except InvalidTag:
            continue
    if count == 0:
        raise VaultError(f"{path}: wrong passphrase, or the file is damaged")
    raise VaultError(f"{path}: record {count} has been changed")


def _cipher(passphrase: str, header: bytes) -> AESGCM:
    log_n, r, p = header[len(_MAGIC) : len(_MAGIC) + 3]
    n, salt = 1 << log_n, header[-16:]
    memory = 128 * r * (n + p + 2) + (1 << 20)
    secret = _bytes(passphrase)
    return AESGCM(hashlib.scrypt(secret, salt=salt, n=n, r=r, p=p, maxmem=memory, dklen=32))


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
