"""The secret key from which surrogates and date offsets are derived.

Everything that looks random is HMAC-SHA-256(key, field₁ ‖ field₂ ‖ …), each field preceded by
its length and a colon, so that ("ab", "c") and ("a", "bc") differ. The same key gives the same
values in every run; without the key they can be neither computed nor reversed.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from lacuna.errors import ConfigError

KEY_BYTES = 32
PASSPHRASE_VARIABLE = "LACUNA_PASSPHRASE"  #: environment variable: the passphrase of a vault


class Key:
    """A secret of 32 bytes; its repr does not show them."""

    __slots__ = ("_begun", "_secret")

    def __init__(self, secret: bytes) -> None:
        if len(secret) != KEY_BYTES:
            raise ConfigError(f"a key has {KEY_BYTES} bytes, this one has {len(secret)}")
        self._secret = secret
        self._begun = hmac.new(secret, digestmod="sha256")

    def __repr__(self) -> str:
        return "Key(…)"

    def __reduce__(self) -> tuple[type[Key], tuple[bytes]]:
        """Pickle the secret alone."""
        return Key, (self._secret,)

    @property
    def secret(self) -> bytes:
        """The bytes, for worker processes; they are never shown or logged."""
        return self._secret

    @classmethod
    def random(cls) -> Key:
        """Return a random key."""
        return cls(secrets.token_bytes(KEY_BYTES))

    def digest(self, *fields: str) -> bytes:
        """Return the 32 bytes that belong to some fields."""
        message = "".join([f"{len(field)}:{field}" for field in fields])
        code = self._begun.copy()
        code.update(message.encode("utf-8", "surrogatepass"))
        return code.digest()

    def number(self, *fields: str) -> int:
        """Return the number below 2⁶⁴ that belongs to some fields."""
        return int.from_bytes(self.digest(*fields)[:8], "big")

    def derive(self, *fields: str) -> Key:
        """Return the key that belongs to some fields, e.g. to one patient."""
        return Key(self.digest(*fields))


def read_key(path: str | Path) -> Key:
    """Read a key file."""
    try:
        with Path(path).open("rb") as stream:
            secret = stream.read(KEY_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if len(secret) != KEY_BYTES:
        raise ConfigError(f"{path}: not a key file: it must have exactly {KEY_BYTES} bytes")
    return Key(secret)


def create_key(path: str | Path) -> Key:
    """Write a random key to a new file that only its owner can read.

    Raises
    ------
    ConfigError
        If the file exists: a lost key cannot be made again.
    """
    secret = secrets.token_bytes(KEY_BYTES)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigError(f"{path}: exists; a key is never overwritten") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
    with os.fdopen(handle, "wb") as stream:
        stream.write(secret)
        stream.flush()
        os.fsync(stream.fileno())
    return Key(secret)
