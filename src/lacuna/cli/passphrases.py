"""Passphrases of vaults: from the environment, or typed without being shown."""

from __future__ import annotations

import getpass
import os
import sys

from lacuna.errors import ConfigError

VARIABLE = "LACUNA_PASSPHRASE"


def passphrase() -> str:
    """Return the passphrase of a vault that exists."""
    return os.environ.get(VARIABLE) or _typed("Passphrase of the vault: ")


def new_passphrase() -> str:
    """Return the passphrase of a vault to be made; typed twice."""
    if given := os.environ.get(VARIABLE):
        return given
    typed = _typed("Passphrase for the vault: ")
    if not typed or typed != _typed("The same again: "):
        raise ConfigError("the passphrases differ, or are empty")
    return typed


def _typed(prompt: str) -> str:
    if not sys.stdin.isatty():
        raise ConfigError(f"a vault needs a passphrase: set {VARIABLE}, or type it at a terminal")
    return getpass.getpass(prompt, stream=sys.stderr)
