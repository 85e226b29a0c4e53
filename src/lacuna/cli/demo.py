"""``lacuna demo``: three notes before and after de-identification, and how well it does.

The notes are in ``data/demo``, one folder for each patient. They were written for this purpose;
the people in them do not exist.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.panel import Panel
from rich.text import Text

from lacuna.cli.console import announce_compiling, stderr, stdout
from lacuna.cli.highlight import colours, highlighted
from lacuna.text.document import Document

if TYPE_CHECKING:
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.deid.run_report import Report

NOTES = Path(__file__).parent.parent / "data" / "demo"
SHOWN = Path("patient-1", "1-admission.txt")  #: the note that is printed; the README shows it too
SEED = 1


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the files; by default a new one."),
    ] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, help="Number of generated notes to score.")
    ] = 40,
) -> None:
    """Show what lacuna does, on three clinical notes."""
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.pipeline.detection import open_detection

    folder = output or Path(tempfile.mkdtemp(prefix="lacuna-demo-"))
    notes, safe = folder / "notes", folder / "safe"
    shutil.copytree(NOTES, notes, dirs_exist_ok=True)
    _say(f"1. Three clinical notes about people who do not exist are in {notes}.")

    announce_compiling()
    options = DetectionOptions()
    detection = open_detection(options)
    _say("2. The bundled model finds the identifiers in one of them:")
    note = Document(SHOWN.stem, _text(notes / SHOWN))
    _show(detection.detector.tagger.find([note])[0])

    report = _deidentify(notes, safe, options)
    _say(f"3. {this_command()} deid {notes} -o {safe} takes them out:")
    stdout.print(Panel(Text(_text(safe / SHOWN)), title="safe", title_align="left"))
    replaced = sum(report.tally.labels.values())
    _say(f"   {replaced:,} identifiers in {report.tally.tokens:,} tokens of all three notes.")

    with stderr.status("scoring …"):
        missed, precision = _score(count)
    _say(f"4. Scores on {count} generated notes, which come with annotations:")
    _say(f"   {missed:.1%} of the identifier tokens can still be read;")
    _say(f"   {precision:.1%} of the tokens taken out belong to an identifier.")
    _say("   Notes written by people are harder: expect that 5% or more are missed.")
    _say(f"5. The report is {safe / 'report.html'}. With your own notes:\n")
    _say(f"   {this_command()} deid NOTES -o SAFE")


def this_command() -> str:
    """Return how the command is called in this shell: by its name, or by its path."""
    program = Path(sys.argv[0])
    if program.name != "lacuna":
        return f"{shlex.quote(_from_here(Path(sys.executable)))} -m lacuna"
    found = shutil.which("lacuna")
    if found is not None and Path(found).samefile(program):
        return "lacuna"
    return shlex.quote(_from_here(program))


def _from_here(path: Path) -> str:
    path, here = path.absolute(), Path.cwd()
    if not path.is_relative_to(here):
        return str(path)
    return str(path.relative_to(here)) if path.parent != here else f"./{path.name}"


def _deidentify(notes: Path, safe: Path, detection: DetectionOptions) -> Report:
    from lacuna.archive.options import ArchiveOptions, Rename
    from lacuna.archive.run import run_archive
    from lacuna.deid.policy import load_policy

    options = ArchiveOptions(
        input=notes,
        output=safe,
        detection=detection,
        policy=load_policy("safe-harbor"),
        group_from="[^/]+",
        rename=Rename.KEEP,
        workers=1,
    )
    return run_archive(options)


def _score(count: int) -> tuple[float, float]:
    """Return the share of identifier tokens that can still be read, and the precision."""
    from lacuna.pipeline.deidentify import Deidentifier
    from lacuna.pipeline.evaluate import evaluate_pipeline
    from lacuna.synthetic import Split, generate

    notes = generate(count, seed=SEED, split=Split.TEST)
    binary = evaluate_pipeline(Deidentifier(), notes).section("binary").micro
    return 1 - binary.recall, binary.precision


def _text(path: Path) -> str:
    return path.read_text("utf-8").rstrip()


def _say(text: str) -> None:
    stdout.print(f"\n{text}" if not text.startswith(" ") else text, soft_wrap=True, markup=False)


def _show(note: Document) -> None:
    palette = colours(mention.label for mention in note.mentions)
    stdout.print(Panel(highlighted(note, palette), title=note.id, title_align="left"))
