"""``lacuna project``: folders of documents that people review."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import item_progress, print_json, print_table, say
from lacuna.cli.convert import AllowedLoss, LossOption, named_format, with_advice
from lacuna.cli.corpora import (
    CORPUS_HELP,
    CorpusOptions,
    JsonOption,
    OutputFormatOption,
    reading,
    say_left_out,
    say_written,
)
from lacuna.cli.detector_options import PolicyOption
from lacuna.errors import ConfigError, FormatLimitError, LacunaError
from lacuna.io.limits import Loss
from lacuna.text.plurals import counted

if TYPE_CHECKING:
    from lacuna.io.output import Written
    from lacuna.web.exporting import Which
    from lacuna.web.importing import Imported
    from lacuna.web.project import Project

ProjectArgument = Annotated[Path, typer.Argument(metavar="PROJECT", help="Folder of the project.")]


class Documents(StrEnum):
    """Which documents to export."""

    REVIEWED = "reviewed"
    ALL = "all"


def init_command(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="New or empty folder.")],
    *,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the project; by default the folder's.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(
            "--labels",
            metavar="A,B",
            help="Labels in the order of their keys; by default those of the bundled model.",
        ),
    ] = None,
    policy: PolicyOption = "safe-harbor",
    language: Annotated[str, typer.Option("--language", help="Language of the texts.")] = "en",
) -> None:
    """Make a project.

    The folder is readable by its owner only. Name, labels, keys and colours are in project.toml,
    which can be edited by hand.

    Example: lacuna project init ward7
    """
    from lacuna.web.project import create_project
    from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named

    names = DEFAULT_LABELS if labels is None else [one.strip() for one in labels.split(",")]
    if policy.endswith(".toml"):  # a path, which project.toml takes as relative to itself
        policy = str(Path(policy).resolve())
    settings = Settings(
        name or project.resolve().name, language, policy, labels=labels_named(names)
    )
    create_project(project, settings).close()
    say(f"project: {project}; next: lacuna project import {project} NOTES")


def import_command(
    project: ProjectArgument,
    inputs: Annotated[list[str], typer.Argument(metavar="CORPUS", help=CORPUS_HELP)],
    *,
    options: CorpusOptions,
    as_json: JsonOption = False,
) -> None:
    """Add documents to a project, with the mentions they have.

    Files stay as they are; the project has a copy. Documents that are in the project already are
    skipped, so an interrupted import can be run again. A document with the id of another one in
    the project is refused.

    Example: lacuna project import ward7 notes/ --group-from '^[^/]+'
    """
    from lacuna.web.importing import Imported, import_documents
    from lacuna.web.project import open_project

    total = Imported()

    def keep(imported: Imported) -> None:
        nonlocal total
        total = imported

    with open_project(project) as opened:
        try:
            with reading(inputs, options) as documents:
                import_documents(opened.store, documents, keep)
        except (KeyboardInterrupt, LacunaError, OSError):
            if total.documents:
                kept = counted(total.documents, "document")
                say(f"imported until then: {kept}; the same command again skips what is there")
            raise
    if as_json:
        print_json(total)
    else:
        _say_imported(total, project)
    if total.refused:
        raise typer.Exit(1)


def _say_imported(total: Imported, project: Path) -> None:
    documents = counted(total.documents, "document")
    say(f"{documents}, {counted(total.mentions, 'mention')} → {project}")
    if total.present:
        say(f"skipped, in the project already: {counted(total.present, 'document')}")
    if total.refused:
        say(
            f"refused: {counted(total.refused, 'document')} with the id of another document in the"
            f" project (first: {total.first_refused})"
        )


def export_command(
    project: ProjectArgument,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="A file or a new folder; by default in PROJECT/exports."
        ),
    ] = None,
    to: OutputFormatOption = None,
    documents: Annotated[
        Documents, typer.Option("--documents", help="Reviewed documents only, or all.")
    ] = Documents.REVIEWED,
    loss: LossOption = AllowedLoss.EXTRAS,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be left out, and write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the documents of a project with the mentions that people decided on.

    Rejected mentions are left out. What the format cannot hold is said before anything is written.
    Files are readable by their owner only.

    Example: lacuna project export ward7 --to brat -o ward7-brat/
    """
    from lacuna.web.exporting import Which, default_path
    from lacuna.web.project import open_project

    format_ = to or ("jsonl" if output is None else named_format(output))
    with open_project(project) as opened:
        path = output or default_path(opened, format_, datetime.now())
        try:
            written = _exported(
                opened, path, format_, Which(documents), Loss[loss.name], dry_run=dry_run
            )
        except FormatLimitError as error:
            raise with_advice(error) from error
    if as_json:
        print_json(written)
    elif dry_run:
        say(f"nothing was written; without --dry-run: {counted(written.documents, 'document')}")
    else:
        say_written(written, str(path))


def _exported(
    project: Project, path: Path, format_: str, which: Which, loss: Loss, *, dry_run: bool
) -> Written:
    """Say what is left out, then write."""
    from lacuna.web.exporting import check_export, export

    states = project.store.counts().states
    count = sum(states[state] for state in which.states)
    if not count:
        raise ConfigError(f"{project.folder}: no document to export; --documents all takes all")
    with item_progress("checking", count) as advance:
        checked = check_export(
            project, path, format=format_, which=which, loss=loss, on_document=advance
        )
    say_left_out(checked, format_)
    if dry_run:
        return checked
    with item_progress("writing", count) as advance:
        return export(project, path, format=format_, which=which, loss=loss, on_document=advance)


def status_command(project: ProjectArgument, *, as_json: JsonOption = False) -> None:
    """Show how far the review of a project is.

    Example: lacuna project status ward7
    """
    from lacuna.web.operations import State
    from lacuna.web.project import open_project

    with open_project(project) as opened:
        counts, settings = opened.store.counts(), opened.settings
    if as_json:
        print_json({"name": settings.name, "counts": counts, "mentions": counts.mentions})
        return
    done = counts.states[State.DONE]
    say(f"{settings.name}: {done:,} of {counted(counts.documents, 'document')} reviewed")
    rows = [
        *((f"state: {state}", f"{number:,}") for state, number in counts.states.items()),
        ("flagged", f"{counts.flagged:,}"),
        ("held out", f"{counts.held_out:,}"),
        ("held out and reviewed", f"{counts.held_out_done:,}"),
        ("groups (patients)", f"{counts.groups:,}"),
        ("edits", f"{counts.edits:,}"),
    ]
    print_table("Documents", ["what", "number"], rows)
    labels = [(label, f"{number:,}") for label, number in counts.labels.items()]
    print_table("Mentions", ["label", "number"], labels)


GROUP_HELP = "Make a project for people to review documents in; import and export documents."
SUBCOMMANDS = {
    "init": init_command,
    "import": import_command,
    "export": export_command,
    "status": status_command,
}
