"""``lacuna demo``: what lacuna does, on made-up notes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.panel import Panel
from rich.text import Text

from lacuna.cli.console import announce_compiling, stderr, stdout
from lacuna.cli.highlight import colours, highlighted

if TYPE_CHECKING:
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.pipeline.detection import Detection
    from lacuna.text.document import Document

SEED = 1  #: of the notes
SHOWN_LENGTH = 900  #: characters of the note to show, about


def demo_command(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the files; by default a temporary one."),
    ] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, help="Number of notes to de-identify.")
    ] = 40,
) -> None:
    """Show what lacuna does, on made-up clinical notes.

    Writes the notes, shows what the bundled model finds in one of them, de-identifies them all,
    and scores the result.
    """
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.pipeline.detection import open_detection
    from lacuna.synthetic import Split, generate

    folder = output or Path(tempfile.mkdtemp(prefix="lacuna-demo-"))
    notes = list(generate(count, seed=SEED, split=Split.TEST))
    _write(notes, folder / "notes")
    _say(f"1. {count} clinical notes about fictional patients are in {folder / 'notes'}.")

    announce_compiling()
    options = DetectionOptions()
    detection = open_detection(options)
    with stderr.status("the bundled model reads them …"):
        found = detection.detector.tagger.find(notes)
    shown = _typical(notes)
    _say("2. This is what the bundled model finds in one of them:")
    _show(found[shown])
    _say(f"3. lacuna deid {folder / 'notes'} -o {folder / 'safe'} de-identifies them:")
    _deidentify(folder, options, _name(notes[shown]))

    _say("4. The result, compared with the notes' own annotations:")
    missed, precision = _score(detection, notes)
    _say(f"   {missed:.1%} of a patient's identifier tokens are missed on average;")
    _say(f"   {precision:.1%} of what was replaced was an identifier.")
    _say(f"5. The report is {folder / 'safe' / 'report.html'}. For your own notes:\n")
    _say("   lacuna deid NOTES -o SAFE")


def _typical(notes: Sequence[Document]) -> int:
    """Return the index of a note to show: of medium length, not all in lower case."""
    typed_well = [n for n, note in enumerate(notes) if note.text != note.text.lower()]
    return min(typed_well or [0], key=lambda n: abs(len(notes[n].text) - SHOWN_LENGTH))


def _deidentify(folder: Path, detection: DetectionOptions, name: str) -> None:
    """De-identify ``folder/notes`` to ``folder/safe`` and show one of the texts."""
    from lacuna.archive.options import ArchiveOptions
    from lacuna.archive.run import run_archive
    from lacuna.deid.policy import load_policy

    began = time.perf_counter()
    options = ArchiveOptions(
        input=folder / "notes",
        output=folder / "safe",
        detection=detection,
        policy=load_policy("safe-harbor"),
        group_from="[^/]+",
        workers=1,
    )
    report = run_archive(options)
    seconds = time.perf_counter() - began
    stdout.print(Panel(Text((folder / "safe" / name).read_text("utf-8")), title="safe"))
    replaced = sum(report.tally.labels.values())
    _say(f"   {replaced:,} identifiers in {report.tally.tokens:,} tokens, {seconds:.1f} s.")


def _write(notes: Sequence[Document], folder: Path) -> None:
    """Write the notes of each patient to a separate folder."""
    for note in notes:
        path = folder / _name(note)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(note.text, "utf-8", newline="")


def _name(note: Document) -> str:
    return f"{note.group}/{note.id}.txt"


def _score(detection: Detection, notes: Sequence[Document]) -> tuple[float, float]:
    """Return the mean share of identifier tokens missed, and the precision."""
    from lacuna.deid.calibration import calibration_units, outcome

    detector = detection.detector
    return outcome(calibration_units(detector, notes), detector.threshold)


def _say(text: str) -> None:
    stdout.print(f"\n{text}" if not text.startswith(" ") else text, soft_wrap=True, markup=False)


def _show(note: Document) -> None:
    palette = colours(mention.label for mention in note.mentions)
    title = f"{note.id}, {note.meta.get('kind', '')}"
    stdout.print(Panel(highlighted(note, palette), title=title, title_align="left"))
