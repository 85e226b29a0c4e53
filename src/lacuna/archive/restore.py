"""Restoring the original texts from the outputs of a run and its vault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lacuna.archive.inputs import InputFile, list_inputs
from lacuna.archive.messages import RowDone
from lacuna.archive.options import ALL, Columns, InputOptions
from lacuna.archive.output_names import RESERVED, place_below
from lacuna.archive.tables import open_table
from lacuna.deid.vault import Vault, restore
from lacuna.errors import ConfigError, CorpusFormatError, LacunaError, VaultError
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
    """Restore every text and JSON line below a folder; texts that are not in the vault fail."""
    inputs = list_inputs(source, InputOptions(exclude=tuple(sorted(RESERVED))))
    restored = Restored()
    with whole_folder(output) as folder:
        for file in inputs.files:
            if file.format == "txt":
                _restore_file(vault, file, folder, restored)
            elif file.format == "jsonl":
                _restore_lines(vault, file, folder, restored)
            else:
                raise ConfigError(f"{file.format} cannot be restored, only txt and jsonl")
    return restored


def _restore_file(vault: Vault, file: InputFile, folder: Path, restored: Restored) -> None:
    try:
        text = Source(file.path, file.name).text()
        original = _original(vault, text, file.name)
    except (VaultError, CorpusFormatError):
        restored.failed += 1
        return
    with whole_file(place_below(folder, file.name)) as stream:
        stream.write(original.encode("utf-8", "surrogatepass"))
    restored.documents += 1


def _restore_lines(vault: Vault, file: InputFile, folder: Path, restored: Restored) -> None:
    table = open_table(file, InputOptions(columns=Columns(keep=(ALL,))))
    with whole_file(place_below(folder, file.name)) as stream:
        write = table.start(stream)
        for row in table.rows():
            try:
                text = _original(vault, row.text, row.id)
            except LacunaError:
                restored.failed += 1
                continue
            write(row, RowDone(row.number, row.id, row.group, text))
            restored.documents += 1


def _original(vault: Vault, text: str, id_: str) -> str:
    try:
        return restore(text, vault)
    except VaultError:  # perhaps several documents became this text
        return restore(text, vault, document=id_)
