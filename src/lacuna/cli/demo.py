"""``lacuna demo``: what lacuna does, on notes it makes up itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.panel import Panel

from lacuna.cli.console import print_table, stdout
from lacuna.cli.highlight import colours, highlighted
from lacuna.text.document import Document

NOTES = 40
SEED = 1


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the notes; a new one where not given."),
    ] = None,
) -> None:
    """Show what lacuna does, on notes it makes up itself."""
    from lacuna.evaluation.pairing import pair
    from lacuna.evaluation.report import summary_table
    from lacuna.evaluation.scores import score
    from lacuna.io.corpus import read_corpus
    from lacuna.io.limits import Loss
    from lacuna.io.output import write_corpus
    from lacuna.synthetic import generate

    folder = output or Path(tempfile.mkdtemp(prefix="lacuna-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    stdout.print(f"1. {NOTES} clinical notes about people who do not exist. One of them:")
    notes = list(generate(NOTES, seed=SEED))
    _show_note(min(notes, key=lambda note: abs(len(note.text) - 900)))

    stdout.print(
        "\n2. Written as JSON lines, converted to brat, read back and scored against themselves:"
    )
    write_corpus(notes, folder / "notes.jsonl", format="jsonl")
    write_corpus(
        read_corpus([folder / "notes.jsonl"]), folder / "brat", format="brat", loss=Loss.EXTRAS
    )
    result = score(pair(read_corpus([folder / "notes.jsonl"]), read_corpus([folder / "brat"])))
    print_table(*summary_table(result))
    stdout.print(
        f"\n3. Everything is in {folder}. Look at it with: lacuna stats {folder / 'notes.jsonl'}",
        soft_wrap=True,
    )


def _show_note(note: Document) -> None:
    palette = colours(mention.label for mention in note.mentions)
    title = f"{note.id}, {note.meta.get('kind', '')}"
    stdout.print(Panel(highlighted(note, palette), title=title, title_align="left"))
