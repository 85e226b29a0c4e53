"""``lacuna demo``: what lacuna does, on notes it makes up itself."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.panel import Panel

from lacuna.cli.console import print_table, stderr, stdout
from lacuna.cli.highlight import colours, highlighted
from lacuna.text.document import Document

TEST_NOTES = 40
SEED = 1
ITERATIONS = 12
SHOWN_LENGTH = 900


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the files; a new one where not given."),
    ] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=10, help="How many notes to learn from.")
    ] = 300,
) -> None:
    """Show what lacuna does, on notes it makes up itself."""
    from lacuna.evaluation.report import summary_table
    from lacuna.evaluation.scores import score
    from lacuna.io.output import write_corpus
    from lacuna.models.crf import Crf
    from lacuna.models.storage import write_model
    from lacuna.pipeline.training import train
    from lacuna.synthetic import Split, generate

    folder = output or Path(tempfile.mkdtemp(prefix="lacuna-demo-"))
    folder.mkdir(parents=True, exist_ok=True)
    _say(f"1. {count} annotated clinical notes about people who do not exist are written.")
    notes = list(generate(count, seed=SEED))
    unseen = list(generate(TEST_NOTES, seed=SEED, split=Split.TEST))
    write_corpus(notes, folder / "notes.jsonl", format="jsonl")
    write_corpus(unseen, folder / "unseen.jsonl", format="jsonl")

    with stderr.status("training (the first time, code is compiled for this machine) …"):
        trained = train(notes, Crf(features="clinical", iterations=ITERATIONS))
    write_model(folder / "names.lacuna", trained.model.store())
    _say(f"2. A model has learnt from them: {trained.tokens:,} tokens, {trained.seconds:.0f} s.")

    found = trained.model.find(unseen)
    _say("3. This is what it finds in a note of a kind it has not seen:")
    typed_well = [note for note in found if not note.text.islower() and not note.text.isupper()]
    _show_note(min(typed_well, key=lambda note: abs(len(note.text) - SHOWN_LENGTH)))

    _say(f"4. And this is how well it does on {TEST_NOTES} such notes:")
    table = summary_table(score(zip(unseen, found, strict=True)))
    print_table(table.title, table.header, table.rows[:4])
    _say(f"5. Everything is in {folder}. Try it on a text of your own:\n")
    _say(f"   lacuna tag {folder / 'names.lacuna'} YOUR.txt")


def _say(text: str) -> None:
    stdout.print(f"\n{text}" if not text.startswith(" ") else text, soft_wrap=True, markup=False)


def _show_note(note: Document) -> None:
    palette = colours(mention.label for mention in note.mentions)
    title = f"{note.id}, {note.meta.get('kind', '')}"
    stdout.print(Panel(highlighted(note, palette), title=title, title_align="left"))
