"""What ``deid`` and ``calibrate`` have in common: the options that say what detects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
        help=f"{_POLICIES}; or a TOML file.",
    ),
]
KnownOption = Annotated[
    Path | None,
    typer.Option("--known", help="CSV of group,kind,value: names and numbers you know already."),
]
AlwaysOption = Annotated[
    Path | None, typer.Option("--always", help="Terms that always go, one per line.")
]
NeverOption = Annotated[
    Path | None, typer.Option("--never", help="Terms that never go, one per line.")
]
ListsOption = Annotated[
    list[str] | None,
    typer.Option("--lists", metavar="LABEL=FILE", help="A word list; may be given several times."),
]
NoPatternsOption = Annotated[
    bool, typer.Option("--no-patterns", help="Leave dates, phone numbers … to the model.")
]


def detection_options(
    model: Path | None,
    *,
    no_align: bool,
    no_patterns: bool,
    known: Path | None,
    always: Path | None,
    never: Path | None,
    lists: list[str] | None,
) -> DetectionOptions:
    """Return what was asked for; without a model the bundled one is taken."""
    from lacuna.deid.detection_options import BUNDLED_MODEL, DetectionOptions

    return DetectionOptions(
        model=str(model or BUNDLED_MODEL),
        align=not no_align,
        patterns=not no_patterns,
        lists=tuple(map(_labelled, lists or ())),
        known=None if known is None else str(known),
        always=None if always is None else str(always),
        never=None if never is None else str(never),
    )


def _labelled(entry: str) -> tuple[str, str]:
    label, equals, path = entry.partition("=")
    if not (label and equals and path):
        raise ConfigError("--lists needs LABEL=FILE, e.g. DOCTOR=staff.txt")
    return label, path
