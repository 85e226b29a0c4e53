"""``lacuna project finish``, ``backup`` and ``erase``."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from lacuna.cli.console import announce_compiling, print_json, print_table, say, step_progress
from lacuna.cli.corpora import JsonOption
from lacuna.errors import ConfigError
from lacuna.text.plurals import counted

if TYPE_CHECKING:
    from lacuna.web.erasing import Erased
    from lacuna.web.finishing.records import Figure, Finished, Step

ProjectArgument = Annotated[Path, typer.Argument(metavar="PROJECT", help="Folder of the project.")]


def finish_command(
    project: ProjectArgument,
    *,
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Learn from sealed documents, too; promises nothing."),
    ] = False,
    level: Annotated[
        float,
        typer.Option("--level", help="Share of identifier tokens that may be missed."),
    ] = 0.05,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", help="Of the promise; 0: promise it on average only."),
    ] = 0.95,
    again: Annotated[
        bool,
        typer.Option("--again", help="Score with patients that were looked at; promises nothing."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the model of a project, and a protocol of how good it is.

    It learns from all reviewed documents that are not sealed. The sealed patients are looked at
    once: they give the scores and, if there are enough of them, a promise. Choose the level before.

    Example: lacuna project finish ward7 --level 0.05
    """
    from lacuna.web.finishing.finish import finish, protocol_path
    from lacuna.web.finishing.records import FinishAsked
    from lacuna.web.project import open_project

    sure = confidence or None
    for name, share in (("--level", level), ("--confidence", sure)):
        if share is not None and not 0 < share < 1:
            raise ConfigError(f"{name} must be between 0 and 1, got {share:g}")
    asked = FinishAsked(everything=everything, level=level, confidence=sure, again=again)
    announce_compiling()
    with open_project(project) as opened:
        with step_progress("finishing") as update:

            def show(step: Step) -> None:
                update(step.state, step.iteration, max(step.iterations, 1), step.message)

            made = finish(opened, asked, who=getpass.getuser(), on_step=show)
        protocol = protocol_path(opened, made.outcome)
    if as_json:
        print_json({"file": made.file, "sha256": made.sha256, **msgspec.to_builtins(made.outcome)})
        return
    _say_finished(made)
    say(f"model: {project / made.file}")
    say(f"protocol: {protocol}")


def _say_finished(made: Finished) -> None:
    outcome = made.outcome
    if (figures := outcome.figures) is not None:
        rows = [
            ("strict F1", *_shown(figures.f1)),
            ("missed by the model alone", *_shown(figures.missed)),
            *((f"F1 of {one.label}", *_shown(one.f1)) for one in figures.labels),
        ]
        title = f"{figures.how}: {counted(figures.patients, 'patient')}"
        print_table(title, ("measure", "value", "95 % interval"), rows)
    if (promise := outcome.promise) is not None:
        from lacuna.deid.promises import in_words

        say(f"promise: {in_words(promise.level, promise.confidence)}")
        return
    reason = outcome.without or "it learnt from everything"
    say(f"nothing is promised: {reason}")
    if outcome.more_needed and not outcome.void:
        say(f"needed: {counted(outcome.more_needed, 'more sealed patient')}")


def _shown(figure: Figure) -> tuple[str, str]:
    return f"{figure.value:.4f}", f"{figure.low:.4f}–{figure.high:.4f}"


def backup_command(
    project: ProjectArgument,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="A new folder.")],
) -> None:
    """Copy a project, also while people work in it.

    The copy is a project of the state at one moment, with its models, settings, policies and
    reports, but without exports. Only the owner can read it.

    Example: lacuna project backup ward7 /backup/ward7-2026-11-18
    """
    from lacuna.web.backup import back_up

    done = back_up(project, target)
    say(f"{counted(done.documents, 'document')}, {counted(done.files, 'file')} → {target}")
    for name in done.elsewhere:
        say(f"not copied, outside of the project: {name}")


def erase_command(
    project: ProjectArgument,
    patient: Annotated[
        str,
        typer.Argument(metavar="PATIENT", help="A group, or the id of a document without one."),
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove all documents of a patient from a project, for good.

    Texts, decisions, suggestions and the log of edits are removed. Models that learnt from the
    patient are named, as are files in the folder of the project that may still hold the texts:
    these stay. No server may have the project open.

    Example: lacuna project erase ward7 4711
    """
    from lacuna.web.erasing import erase, to_erase

    found = to_erase(project, patient)
    if not as_json:
        say(f"to be erased: {counted(len(found.documents), 'document')}")
        _say_models(found)
    if not yes and not typer.confirm("Erase? This cannot be undone", err=True):
        raise typer.Exit(1)
    erased = erase(project, patient, who=getpass.getuser())
    if as_json:
        print_json(msgspec.to_builtins(erased))
        return
    say(f"erased: {counted(len(erased.documents), 'document')}")
    _say_models(erased)
    for file in erased.files:
        say(f"may still hold texts of the patient: {file}")
    say("copies, backups and exports in other places are not known here")


def _say_models(erased: Erased) -> None:
    for model in erased.models:
        say(f"learnt from the patient, or was compared on documents of the patient: {model}")
    if erased.models:
        say("these files can hold words of the texts; teach again without the patient, remove them")
