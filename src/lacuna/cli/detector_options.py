"""Options of ``deid``, ``calibrate`` and ``evaluate --pipeline``: what finds identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.corpora import NoAlignOption
from lacuna.deid.policy import policies
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.deid.detection_options import DetectionOptions

_POLICIES = "; ".join(f"{name}: {what}" for name, what in policies().items())
PolicyOption = Annotated[
    str,
    typer.Option(
        "--policy",
        metavar="NAME|FILE",
        help=f"What to do with each kind of identifier: {_POLICIES}; or a TOML file.",
    ),
]

ThresholdOption = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Minimum probability of a finding; 0.5 by default."),
]
MaxMissedOption = Annotated[
    float | None,
    typer.Option(help="Use the threshold calibrated for this miss rate, e.g. 0.01."),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(help="With --max-missed: the promise of this confidence, e.g. 0.95."),
]


@dataclass(frozen=True, slots=True)
class DetectorOptions:
    """What finds identifiers besides the model."""

    known: Annotated[
        Path | None,
        typer.Option(
            "--known",
            help="CSV file with group,kind,value: names and numbers known for each patient.",
        ),
    ] = None
    always: Annotated[
        Path | None,
        typer.Option("--always", help="File of terms that are always replaced, one per line."),
    ] = None
    never: Annotated[
        Path | None,
        typer.Option("--never", help="File of terms that are never replaced, one per line."),
    ] = None
    lists: Annotated[
        list[str] | None,
        typer.Option(
            "--lists", metavar="LABEL=FILE", help="Word list to find as LABEL; may be repeated."
        ),
    ] = None
    no_patterns: Annotated[
        bool,
        typer.Option(
            "--no-patterns", help="Do not use built-in patterns for dates, phone numbers …"
        ),
    ] = False
    no_align: NoAlignOption = False
    no_second_look: Annotated[
        bool,
        typer.Option(
            "--no-second-look",
            help="Do not look for what was found in all documents of the patient.",
        ),
    ] = False

    def with_model(self, model: Path | None) -> DetectionOptions:
        """Return the options of detection with a model, by default the bundled one."""
        from lacuna.deid.detection_options import BUNDLED_MODEL, DetectionOptions

        return DetectionOptions(
            model=str(model or BUNDLED_MODEL),
            align=not self.no_align,
            patterns=not self.no_patterns,
            lists=tuple(map(_labelled, self.lists or ())),
            known=None if self.known is None else str(self.known),
            always=None if self.always is None else str(self.always),
            never=None if self.never is None else str(self.never),
            second_look=not self.no_second_look,
        )


def _labelled(entry: str) -> tuple[str, str]:
    label, equals, path = entry.partition("=")
    if not (label and equals and path):
        raise ConfigError("--lists must be LABEL=FILE, e.g. DOCTOR=staff.txt")
    return label, path
