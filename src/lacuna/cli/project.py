"""``lacuna project``: folders of documents that people review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import to_builtins

from lacuna.cli.console import announce_compiling, item_progress, print_json, print_table, say
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
from lacuna.cli.project_finish import backup_command, erase_command, finish_command
from lacuna.errors import ConfigError, FormatLimitError, LacunaError
from lacuna.io.limits import Loss
from lacuna.text.plurals import counted

if TYPE_CHECKING:
    from lacuna.io.output import Written
    from lacuna.web.exporting import Chosen
    from lacuna.web.importing import Imported
    from lacuna.web.project import Project
    from lacuna.web.suggestions import Suggester

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
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Model that suggests mentions: the name of a bundled one, none, or a file.",
        ),
    ] = "bundled",
) -> None:
    """Make a project.

    The folder is readable by its owner only. Name, labels, keys and colours are in project.toml,
    which can be edited by hand.

    Example: lacuna project init ward7
    """
    from lacuna.web.project import create_project
    from lacuna.web.project_file import DEFAULT_LABELS, NO_FILES, Settings, labels_named

    names = DEFAULT_LABELS if labels is None else [one.strip() for one in labels.split(",")]
    if policy.endswith(".toml"):  # a path, which project.toml takes as relative to itself
        policy = str(Path(policy).resolve())
    if model not in NO_FILES:
        model = str(Path(model).resolve())
    settings = Settings(
        name or project.resolve().name, language, policy, labels=labels_named(names), model=model
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


OutputOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="A file or a new folder; by default in PROJECT/exports."),
]
DocumentsOption = Annotated[
    Documents, typer.Option("--documents", help="Reviewed documents only, or all.")
]
KeysOption = Annotated[
    str | None,
    typer.Option("--keys", metavar="1,2", help="Only these documents, by their numbers."),
]
SuggestionsOption = Annotated[
    bool,
    typer.Option(
        "--suggestions",
        help="Documents that are not done also get what the model suggests, with probability.",
    ),
]
DeidentifiedOption = Annotated[
    bool,
    typer.Option(
        "--deidentified",
        help="Write de-identified texts (jsonl or txt); ids and groups get pseudonyms.",
    ),
]
TextPolicyOption = Annotated[
    str | None,
    typer.Option("--policy", help="Of --deidentified; by default that of the project."),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Say what would be left out, and write nothing.")
]


def export_command(
    project: ProjectArgument,
    *,
    output: OutputOption = None,
    to: OutputFormatOption = None,
    documents: DocumentsOption = Documents.REVIEWED,
    keys: KeysOption = None,
    suggestions: SuggestionsOption = False,
    deidentified: DeidentifiedOption = False,
    policy: TextPolicyOption = None,
    loss: LossOption = AllowedLoss.EXTRAS,
    dry_run: DryRunOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the documents of a project with the mentions that people decided on.

    Rejected mentions are left out. What the format cannot hold is said before anything is written.
    Files are readable by their owner only. With --deidentified, texts without identifiers are
    written; a document for which that fails is left out, and the exit code is 1.

    Example: lacuna project export ward7 --to brat -o ward7-brat/
    """
    from lacuna.web.exporting import Which, default_path
    from lacuna.web.project import open_project

    _check_together(deidentified=deidentified, suggestions=suggestions, policy=policy)
    format_ = to or ("jsonl" if output is None else named_format(output))
    failed: dict[int, str] = {}
    with open_project(project) as opened:
        path = output or default_path(opened, format_, datetime.now())
        which = Which(documents) if keys is None else _numbers(opened, keys)
        out = _Export(opened, path, format_, which, Loss[loss.name], _count(opened, which))
        try:
            if deidentified:
                written, failed = out.texts(policy, dry_run=dry_run)
            else:
                written = out.annotations(suggestions=suggestions, dry_run=dry_run)
        except FormatLimitError as error:
            raise with_advice(error) from error
    if as_json:
        more = {"failed": failed} if deidentified else {}
        print_json({**to_builtins(written), **more})
    elif dry_run:
        say(f"nothing was written; without --dry-run: {counted(written.documents, 'document')}")
    else:
        say_written(written, str(path))
    if failed:
        _say_failed(failed)
        raise typer.Exit(1)


def _check_together(*, deidentified: bool, suggestions: bool, policy: str | None) -> None:
    if deidentified and suggestions:
        raise ConfigError("--suggestions and --deidentified exclude each other")
    if policy is not None and not deidentified:
        raise ConfigError("--policy needs --deidentified")


def _numbers(project: Project, keys: str) -> list[int]:
    """Return the keys of documents in the order given, each once."""
    try:
        numbers = list(dict.fromkeys(int(one) for one in keys.split(",")))
    except ValueError:
        raise ConfigError("--keys: numbers with commas in between, e.g. 1,2") from None
    for number in numbers:
        if project.store.row(number) is None:
            raise ConfigError(f"--keys: {project.folder} has no document {number}")
    return numbers


def _count(project: Project, which: Chosen) -> int:
    from lacuna.web.exporting import Which

    if not isinstance(which, Which):
        return len(which)
    states = project.store.counts().states
    if count := sum(states[state] for state in which.states):
        return count
    raise ConfigError(f"{project.folder}: no document to export; --documents all takes all")


def _say_failed(failed: Mapping[int, str]) -> None:
    say(f"left out, could not be de-identified: {counted(len(failed), 'document')}")
    for reason, number in Counter(failed.values()).most_common():
        say(f"  {counted(number, 'document')}: {reason}")


@dataclass(frozen=True, slots=True)
class _Export:
    """What to export, and where to; says what is left out, then writes."""

    project: Project
    path: Path
    format: str
    which: Chosen
    loss: Loss
    count: int

    def annotations(self, *, suggestions: bool, dry_run: bool) -> Written:
        from lacuna.web.exporting import check_export, export

        options: dict[str, Any] = {"format": self.format, "which": self.which, "loss": self.loss}
        if suggestions:
            options["suggester"] = _suggester(self.project)
        with item_progress("checking", self.count) as advance:
            checked = check_export(self.project, self.path, on_document=advance, **options)
        say_left_out(checked, self.format)
        if dry_run:
            return checked
        with item_progress("writing", self.count) as advance:
            return export(self.project, self.path, on_document=advance, **options)

    def texts(self, policy: str | None, *, dry_run: bool) -> tuple[Written, dict[int, str]]:
        from lacuna.web.exporting import check_texts, export_texts
        from lacuna.web.redacting import Redaction
        from lacuna.web.suggestions import Suggester

        options: dict[str, Any] = {"format": self.format, "which": self.which, "loss": self.loss}
        checked = check_texts(self.project, self.path, **options)
        say_left_out(checked, self.format)
        if dry_run:
            return checked, {}
        announce_compiling()
        suggester = Suggester.open(self.project)
        redaction = Redaction.of(self.project, suggester, policy=policy)
        with item_progress("de-identifying", self.count) as advance:
            done = export_texts(redaction, self.path, on_document=advance, **options)
        return done.written, done.failed


def _suggester(project: Project) -> Suggester:
    from lacuna.web.suggestions import Suggester

    announce_compiling()
    suggester = Suggester.open(project)
    if suggester is None:
        raise ConfigError(f"{project.folder}: --suggestions needs a model; project.toml names none")
    return suggester


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


GROUP_HELP = "Make a project for people to review documents in; import, export, finish, back up."
SUBCOMMANDS = {
    "init": init_command,
    "import": import_command,
    "export": export_command,
    "status": status_command,
    "finish": finish_command,
    "backup": backup_command,
    "erase": erase_command,
}
