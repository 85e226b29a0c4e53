"""Passphrases of vaults: from the environment, or typed in without echo."""

from __future__ import annotations

import getpass
import os
import sys

from lacuna.errors import ConfigError

VARIABLE = "LACUNA_PASSPHRASE"


def passphrase() -> str:
    """Return the passphrase of an existing vault."""
    return os.environ.get(VARIABLE) or _typed("Passphrase of the vault: ")


def new_passphrase() -> str:
    """Return the passphrase of a new vault; it has to be typed twice."""
    if given := os.environ.get(VARIABLE):
        return given
    typed = _typed("Passphrase for the new vault: ")
    if not typed or typed != _typed("Repeat the passphrase: "):
        raise ConfigError("the passphrases differ or are empty")
    return typed


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise ConfigError(
            f"a vault needs a passphrase: set {VARIABLE}, or run in a terminal to type it"
        )
    return getpass.getpass(prompt, stream=sys.stderr)
