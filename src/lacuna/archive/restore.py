"""Restoring the original texts from the outputs of a run and its vault."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from lacuna.archive.inputs import InputFile, list_inputs
from lacuna.archive.messages import RowDone
from lacuna.archive.options import ALL, Columns, InputOptions
from lacuna.archive.output_names import RESERVED, place_below
from lacuna.archive.tables import open_table
from lacuna.deid.vault import Original, Vault, restore
from lacuna.errors import ConfigError, CorpusFormatError, LacunaError, StoppedError, VaultError
from lacuna.io.decoding import UTF_8
from lacuna.io.source import Source
from lacuna.io.writing import whole_file, whole_folder


@dataclass(slots=True)
class Restored:
    """How many documents were restored, and how many could not be."""

    documents: int = 0
    failed: int = 0


def restore_text(vault: Vault, path: Path) -> bytes:
    """Return the original of one redacted text."""
    return restore(Source(path, path.name).text(), vault).encode("utf-8", "surrogatepass")


def restore_folder(vault: Vault, source: Path, output: Path) -> Restored:
    """Restore every text and table below a folder, under its original name if the vault has it.

    Only the owner can open the new folder.

    Texts that are not in the vault fail. Of tables, texts, ids and groups are restored.
    """
    inputs = list_inputs(source, InputOptions(exclude=tuple(sorted(RESERVED))))
    restored = Restored()
    with whole_folder(output) as folder:
        folder.chmod(0o700)
        for file in inputs.files:
            if file.format == "txt":
                _restore_file(vault, file, folder, restored)
            else:
                _restore_table(vault, file, folder, restored)
    return restored


def _restore_file(vault: Vault, file: InputFile, folder: Path, restored: Restored) -> None:
    try:
        original = _original(vault, Source(file.path, file.name).text(), file.name)
    except (VaultError, CorpusFormatError):
        restored.failed += 1
        return
    with whole_file(_place(folder, original.name, file.name)) as stream:
        stream.write(original.text.encode("utf-8", "surrogatepass"))
    restored.documents += 1


def _restore_table(vault: Vault, file: InputFile, folder: Path, restored: Restored) -> None:
    known = vault.table(file.name)
    if known is None and file.format != "jsonl":
        raise ConfigError(f"{file.name}: the vault does not contain this table")
    columns = Columns() if known is None else Columns(*known.columns)
    table = open_table(file, InputOptions(encoding=UTF_8, columns=replace(columns, keep=(ALL,))))
    name = None if known is None else known.name
    with whole_file(_place(folder, name, file.name)) as stream:
        rows = table.rows()
        first = next(rows, None)  # a table knows its columns only after the first row
        write = table.start(stream)
        for row in () if first is None else chain([first], rows):
            try:
                original = _original(vault, row.text, row.id)
            except LacunaError:
                restored.failed += 1
                continue
            id_ = row.id if original.name is None else original.name
            write(row, RowDone(row.number, id_, original.group, original.text))
            restored.documents += 1
        table.finish()


def _original(vault: Vault, text: str, id_: str) -> Original:
    try:
        return vault.original(text, id_)
    except VaultError:  # perhaps it was renamed
        return vault.original(text)


def _place(folder: Path, original: str | None, name: str) -> Path:
    """Return the path of a restored file: its original one, or its present one if that is taken.

    An original path that leads out of the folder is not used either.
    """
    if original and "\0" not in original:
        with suppress(StoppedError, OSError):
            place = place_below(folder, original)
            if not place.exists():
                return place
    return place_below(folder, name)
