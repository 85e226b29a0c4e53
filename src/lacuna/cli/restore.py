"""``lacuna restore``: original texts from a vault."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from lacuna.cli.console import passphrase, say
from lacuna.errors import ConfigError


def restore_command(
    vault: Annotated[Path, typer.Argument(help="Vault written by lacuna deid --vault.")],
    source: Annotated[
        Path, typer.Argument(metavar="INPUT", help="Output of deid: a folder or a file.")
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", help="New folder; '-' writes one text to stdout.")
    ],
) -> None:
    """Restore original texts from a vault.

    Texts are restored byte for byte (as UTF-8) and under their original names. Of tables, texts,
    ids and groups are restored. The redacted texts must be exactly as deid wrote them. The
    passphrase is read from LACUNA_PASSPHRASE or asked for.

    Example: lacuna restore study.vault safe/ -o originals/
    """
    from lacuna.archive.restore import restore_folder, restore_text
    from lacuna.deid.vault import open_vault

    opened = open_vault(vault, passphrase())
    if not opened.is_complete:
        say(f"{vault}: is incomplete, its run was stopped; it contains {len(opened):,} documents")
    if output == "-":
        if not source.is_file():
            raise ConfigError("only one text can be restored to standard output")
        sys.stdout.buffer.write(restore_text(opened, source))
        return
    restored = restore_folder(opened, source, Path(output))
    say(f"{restored.documents:,} documents restored → {output}")
    if restored.failed:
        say(f"not restored, not in the vault or changed since: {restored.failed:,}")
        raise typer.Exit(1)
