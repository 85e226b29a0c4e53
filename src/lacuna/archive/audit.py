"""Auditing a run: documents drawn at random from its outputs, read by a person, in the report.

:func:`draw` chooses documents and records the draw in the report; :func:`enter` adds what the
person saw, with an exact upper bound on the share of documents that have a leak.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from lacuna.archive.inputs import InputFile, list_inputs
from lacuna.archive.options import Columns, InputOptions
from lacuna.archive.output_names import RESERVED
from lacuna.archive.tables import open_table
from lacuna.deid.audits import AUDITS, Answers, Audit, audits_in
from lacuna.deid.run_report import JSON, write_values
from lacuna.errors import ConfigError
from lacuna.evaluation.audit_bound import most_leaking
from lacuna.io.source import Source
from lacuna.text.plurals import counted

DRAW_CHARACTERS = 16


class SafeDocument(NamedTuple):
    """A document of the outputs: the path of its file, with the row if it is in a table."""

    name: str
    text: str


def draw(
    folder: Path, count: int, *, seed: int | None = None, text_column: str = "text"
) -> tuple[Audit, list[SafeDocument]]:
    """Draw documents at random from the output folder of a run, and record that in its report.

    Parameters
    ----------
    folder
        The output of ``lacuna deid``.
    count
        How many documents to draw; all if there are fewer.
    seed
        For the same sample again; random by default.
    text_column
        The column of tables that has the text.
    """
    values = _report(folder)
    inputs = list_inputs(folder, InputOptions(exclude=tuple(sorted(RESERVED))))
    options = InputOptions(columns=Columns(text_column))
    names = [name for file in inputs.files for name, _ in _documents(file, options, texts=False)]
    chosen = secrets.randbits(32) if seed is None else seed
    places = sorted(random.Random(chosen).sample(range(len(names)), min(count, len(names))))
    wanted = {names[place] for place in places}
    sample = [
        SafeDocument(*document)
        for file in inputs.files
        for document in _documents(file, options, texts=True, wanted=wanted)
    ]
    drawn = _now()
    audit = Audit(
        draw=_draw(drawn, chosen, [document.name for document in sample]),
        drawn=drawn,
        seed=chosen,
        seed_was_given=seed is not None,
        sample=len(sample),
        documents=len(names),
    )
    _write(folder, values, [*audits_in(folder / JSON), audit])
    return audit, sample


def _documents(
    file: InputFile, options: InputOptions, *, texts: bool, wanted: set[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each document in a file; only those wanted, if that is given.

    Without `texts`, files with one document are not read.
    """
    if not file.is_table:
        if wanted is None or file.name in wanted:
            yield file.name, Source(file.path, file.name).text() if texts else ""
        return
    for row in open_table(file, options).rows():
        if row.reason is not None:
            raise ConfigError(f"{file.name}: row {row.number:,} cannot be read: {row.reason}")
        name = f"{file.name}, row {row.number}"
        if wanted is None or name in wanted:
            yield name, row.text


def enter(
    folder: Path,
    leaks: Mapping[str, int] | Sequence[int],
    *,
    draw: str | None = None,
    confidence: float = 0.95,
    correct: bool = False,
) -> Audit:
    """Add the answers of a person to the report of a run, and return the audit.

    Parameters
    ----------
    folder
        The output of ``lacuna deid``.
    leaks
        Number of leaks seen, by the name of the document; or in the order of the page.
    draw
        Which sample this is about; by default the last one.
    confidence
        Of the upper bound.
    correct
        Whether answers that were entered before may be replaced.

    Raises
    ------
    ConfigError
        If the answers are incomplete or belong to another sample.
    """
    values, audits = _report(folder), audits_in(folder / JSON)
    audit = _audit(audits, draw)
    if audit.answers is not None and not correct:
        raise ConfigError(
            f"answers for this sample were entered on {audit.answers.entered};"
            " --correct replaces them"
        )
    if isinstance(leaks, Mapping) and _draw(audit.drawn, audit.seed, leaks) != audit.draw:
        raise ConfigError("the documents of the answers are not those of the sample")
    if len(leaks) != audit.sample:
        given, sample = counted(len(leaks), "answer"), counted(audit.sample, "document")
        raise ConfigError(f"{given} for a sample of {sample}")
    if not 0 < confidence < 1:
        raise ConfigError("--confidence must be above 0 and below 1")
    counts = list(leaks.values()) if isinstance(leaks, Mapping) else leaks
    seen = sum(count > 0 for count in counts)
    answers = Answers(
        entered=_now(),
        leaking=seen,
        leaks=sum(counts),
        confidence=confidence,
        most_leaking=most_leaking(audit.documents, audit.sample, seen, confidence),
        corrections=0 if audit.answers is None else audit.answers.corrections + 1,
    )
    done = msgspec.structs.replace(audit, answers=answers)
    _write(folder, values, [done if one is audit else one for one in audits])
    return done


def _audit(audits: Sequence[Audit], draw: str | None) -> Audit:
    if not audits:
        raise ConfigError("no sample was drawn from this folder; see lacuna audit draw")
    found = [audit for audit in audits if draw in (None, audit.draw)]
    if not found:
        raise ConfigError("the answers belong to no sample that was drawn from this folder")
    return found[-1]


def _report(folder: Path) -> dict[str, Any]:
    """Return the values of the report of a run."""
    path = folder / JSON
    if not path.is_file():
        raise ConfigError(f"{folder} has no {JSON}: it is no output folder of lacuna deid")
    audits_in(path)  # raises if the file is damaged
    values: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    return values


def _write(folder: Path, values: Mapping[str, Any], audits: Sequence[Audit]) -> None:
    try:
        write_values(folder, {**values, AUDITS: msgspec.to_builtins(audits)})
    except KeyError:
        raise ConfigError("the report was written by another version of lacuna") from None


def _draw(drawn: str, seed: int, names: Sequence[str] | Mapping[str, int]) -> str:
    """Return the hash that ties answers to a sample, whatever their order."""
    content = "\n".join([drawn, str(seed), *sorted(names)])
    return hashlib.sha256(content.encode()).hexdigest()[:DRAW_CHARACTERS]


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
