"""What ``lacuna deid`` shows while it runs and at the end, all of it on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.cli.console import complain, print_table, printable, say, stderr
from lacuna.text.plurals import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lacuna.archive.inputs import Inputs
    from lacuna.archive.ledger import Finished
    from lacuna.archive.options import ArchiveOptions
    from lacuna.deid.run_report import Failure, Report
    from lacuna.deid.tally import Tally

SHOWN_FAILURES = 20
LONG = 10  #: seconds; the speed of a shorter run is that of its start


class Screen:
    """The screen of one run."""

    def __init__(self, options: ArchiveOptions, *, verbose: bool, show_paths: bool) -> None:
        self._options, self._verbose, self._show_paths = options, verbose, show_paths
        self._failed = self._files = 0

    def start(self, inputs: Inputs) -> None:
        """Note how many inputs there are."""
        self._files = len(inputs.files)

    def fail(self, failure: Failure, path: str) -> None:
        """Show a document that failed, unless there are many."""
        self._failed += 1
        if self._failed <= SHOWN_FAILURES:
            named = failure.named(printable(path)) if self._show_paths else str(failure)
            complain(f"failed: {named}")

    def finished(self, file: Finished) -> None:
        """Show a finished output by its new name, if that was asked for."""
        if self._verbose:
            replaced = counted(sum(file.tally.labels.values()), "identifier")
            rows = "" if file.tally.documents == 1 else f"{_documents(file.tally)}, "
            place = f"file {file.number:,} of {file.files:,}"
            say(f"{place}: {file.output}: {rows}{replaced} replaced")

    def interrupted(self) -> None:
        """Say what is written, and how to continue."""
        from lacuna.archive.leftovers import files_written

        output = self._options.output
        files = 0 if output is None or self._private is None else files_written(output)
        if not files:
            complain("interrupted: nothing was written")
            return
        every = f"{files:,} of {counted(self._files, 'file')}"
        which = every if self._files else counted(files, "file")
        are = "is" if files == 1 else "are"
        complain(f"interrupted: {which} {are} written; {self._how_to_continue()}")
        self._name_private()

    def stopped(self, reason: str) -> None:
        """Say why nothing more could be written."""
        if self._private is None or not self._private.exists():
            complain(f"stopped: {reason}; nothing was written")
            return
        complain(f"stopped: {reason}; finished documents are kept; {self._how_to_continue()}")
        self._name_private()

    def _how_to_continue(self) -> str:
        if self._options.can_be_resumed:
            return "the same command with --resume continues"
        why = "without --key" if self._options.vault is None else "with a vault"
        return f"a run {why} cannot be continued: start again with a new folder"

    def end(self, report: Report) -> None:
        """Show the result of the run."""
        tally, run = report.tally, report.run
        show_replaced(tally)
        if tally.documents:
            speed = f" ({report.tokens_per_second:,.0f} tokens/s)" if run.seconds > LONG else ""
            say(f"{totals_in_words(tally)}, {run.seconds:.1f} s{speed}")
        self._show_doubts(report)
        self._show_remarks(report)
        self.failures(report)
        if self._private is not None and _is_something(tally):
            say(f"report: {self._options.output}/report.html")

    def failures(self, report: Report) -> None:
        """Say how many documents failed, and name the folders; also with ``--json``."""
        failed = report.tally.failed
        if self._failed > SHOWN_FAILURES:
            complain(f"failed: {self._failed - SHOWN_FAILURES:,} more, see report.json")
        if self._failed and not self._show_paths:
            say("--show-paths names the files that failed")
        if failed:
            complain(
                f"{counted(failed, 'document')} failed and"
                f" {'was' if failed == 1 else 'were'} not written"
            )
        if not _is_something(report.tally) and self._options.output is not None:
            complain("no document could be de-identified, so nothing was written")

    def _show_doubts(self, report: Report) -> None:
        from lacuna.deid.promises import in_words
        from lacuna.deid.remarks import estimate_in_words

        run = report.run
        if report.tally.documents:
            say(estimate_in_words(report.tally, run.calibrated))
        if run.promised is not None:
            say(f"promise: {in_words(run.promised, run.confidence)}")
        show_warnings(run.warnings)

    def _show_remarks(self, report: Report) -> None:
        from lacuna.archive.inputs import in_words
        from lacuna.archive.known_check import HITS
        from lacuna.deid.remarks import remarks_on
        from lacuna.deid.scope import Consistency

        tally, run = report.tally, report.run
        for remark in remarks_on(tally):
            say(remark)
        if run.known_values:
            found = f"{len(tally.known_hits):,} of {counted(run.known_values, 'known value')} found"
            say(found if self._private is None else f"{found}; see {self._private / HITS}")
        of_patients = self._options.consistency is Consistency.PATIENT
        if tally.documents > 1 and not run.has_groups and of_patients:
            say(
                "no patients given: every document is its own patient (see --group-from and"
                " --group-column)"
            )
        for what, count in run.left_aside.items():
            say(f"skipped: {in_words(what, count)}")

    def name_folders(self, report: Report) -> None:
        """Say what may be passed on and what is for the owner only."""
        if not _is_something(report.tally):
            return
        if self._private is not None:
            say(f"to pass on: {self._options.output}/")
            self._name_private()
        for what, path in owners_files(self._options).items():
            say(f"keep private: {path} ({what.removesuffix('_file')}, with the originals)")

    def _name_private(self) -> None:
        say(f"keep private: {self._private}/ (which output belongs to which patient)")

    @property
    def _private(self) -> Path | None:
        """The private folder, if there is one."""
        from lacuna.archive.manifest import private_folder

        output = self._options.output
        if output is None or not self._options.keeps_books:
            return None
        return output.parent / private_folder(output).name


def owners_files(options: ArchiveOptions) -> dict[str, str]:
    """Return the files for the owner that were asked for."""
    asked = (("findings_file", options.findings), ("review_file", options.review))
    return {what: str(path) for what, path in asked if path is not None}


def _is_something(tally: Tally) -> bool:
    """Whether the run made anything: not all documents failed."""
    return bool(tally.documents) or not tally.failed


def show_replaced(tally: Tally) -> None:
    """Show how many identifiers were replaced, by label."""
    rows = sorted(tally.labels.items(), key=lambda entry: -entry[1])
    if rows:
        cells = [(name, f"{count:,}") for name, count in rows]
        print_table("replaced", ("label", "count"), cells, console=stderr)


def show_warnings(warnings: Sequence[str]) -> None:
    """Show what speaks against a run."""
    for warning in warnings:
        say(f"warning: {warning}")


def totals_in_words(tally: Tally) -> str:
    """Return documents, tokens and identifiers of a run."""
    replaced = counted(sum(tally.labels.values()), "identifier")
    return f"{_documents(tally)}, {counted(tally.tokens, 'token')}, {replaced} replaced"


def _documents(tally: Tally) -> str:
    return counted(tally.documents, "document")
