"""What ``deid`` and ``calibrate`` have in common: the options that say what detects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.corpora import NoAlignOption
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.pipeline.detection import DetectionOptions

PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy", metavar="NAME|FILE", help="safe-harbor, research, mask, or a TOML file."
    ),
]


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """What detects beside the model."""

    known: Annotated[
        Path | None,
        typer.Option(
            "--known", help="CSV of group,kind,value: names and numbers you already know."
        ),
    ] = None
    always: Annotated[
        Path | None, typer.Option("--always", help="Terms that always go, one per line.")
    ] = None
    never: Annotated[
        Path | None, typer.Option("--never", help="Terms that never go, one per line.")
    ] = None
    lists: Annotated[
        list[str] | None,
        typer.Option(
            "--lists", metavar="LABEL=FILE", help="A word list; may be given several times."
        ),
    ] = None
    no_patterns: Annotated[
        bool, typer.Option("--no-patterns", help="Leave dates, phone numbers … to the model.")
    ] = False
    no_align: NoAlignOption = False

    def with_model(self, model: Path | None) -> DetectionOptions:
        """Return what was asked for; without a model the bundled one is taken."""
        from lacuna.pipeline.detection import BUNDLED_MODEL, DetectionOptions

        return DetectionOptions(
            model=str(model or BUNDLED_MODEL),
            align=not self.no_align,
            patterns=not self.no_patterns,
            lists=tuple(map(_labelled, self.lists or ())),
            known=None if self.known is None else str(self.known),
            always=None if self.always is None else str(self.always),
            never=None if self.never is None else str(self.never),
        )


def _labelled(entry: str) -> tuple[str, str]:
    label, equals, path = entry.partition("=")
    if not (label and equals and path):
        raise ConfigError("--lists needs LABEL=FILE, e.g. DOCTOR=staff.txt")
    return label, path
