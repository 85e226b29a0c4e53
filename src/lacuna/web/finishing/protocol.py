"""The protocol of a finished model, for people who have to decide whether it may be used.

It names people who reviewed, but no patient, no document and no text.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from lacuna.deid.promises import asked_for
from lacuna.pictures.protocol_page import Commands, Section, Table, protocol_page
from lacuna.text.plurals import counted
from lacuna.version import __version__
from lacuna.web.document_pages import count_parts
from lacuna.web.finishing.records import Figure, Figures, Finished, Outcome, Promised
from lacuna.web.parts import Part, part_of
from lacuna.web.project import Project
from lacuna.web.teaching.learnable import EXAMPLES

NBSP = "\N{NO-BREAK SPACE}"
USES = {
    Part.LEARN: "to learn from",
    Part.GATE: "to choose models while people reviewed, at the end to learn from",
    Part.SEAL: "sealed: reviewed without suggestions, for scores alone",
}
SEAL_OF_EVERYTHING = "sealed: reviewed without suggestions, here to learn from, too"


def protocol_of(connection: sqlite3.Connection, project: Project, made: Finished) -> str:
    """Return the page; the model is not in the database yet."""
    outcome = made.outcome
    sections = [
        Section("What this is", [_purpose(project)]),
        Section("Data", list(_data(connection, made))),
        Section("People", list(_people(connection))),
        Section("Model and settings", list(_model(project, made))),
        Section("Scores", list(_scores(outcome))),
        Section("Promise", list(_promise(outcome))),
        Section("What this does not say", list(_limits(made))),
        Section("How to use the model", list(_use(project, made))),
        Section("Versions and hashes", list(_hashes(project, made))),
    ]
    return protocol_page(
        f"Protocol of a model: {project.settings.name}",
        f"Model {made.key:,}, {made.made_at[:16].replace('T', ' ')} UTC, by {made.made_by}",
        _lead(made),
        sections,
        warning=outcome.promise is None,
    )


def _lead(made: Finished) -> str:
    outcome = made.outcome
    if made.purpose == "everything":
        return (
            "This model learnt from all reviewed documents, the sealed ones included. So nothing is"
            " left to test it on, and nothing is promised. Its scores come from models that were"
            " trained in the same way without the patients they were tested on."
        )
    if outcome.void:
        return (
            "The promise is void. The sealed patients were used for an earlier model already; who"
            " tries until a result is good enough finds one by chance."
        )
    if outcome.promise is None:
        return f"Nothing is promised: {outcome.without}.{_more(outcome)}"
    return f"Promise: {_in_words(outcome.promise)}"


def _purpose(project: Project) -> str:
    labels = ", ".join(label.name for label in project.settings.labels)
    return (
        f"A model marks words in notes ({labels}), so that what identifies a person can be taken"
        " out. This page says what the model has learnt from, who has reviewed the notes, how much"
        " it misses, and what can be promised about notes like these."
    )


def _more(outcome: Outcome) -> str:
    if not outcome.more_needed:
        return ""
    more = counted(outcome.more_needed, "more sealed patient")
    return f" At least {more} would have to be reviewed."


def _data(connection: sqlite3.Connection, made: Finished) -> Iterator[str | Table]:
    yield (
        "The documents of a patient are always used for one purpose. A secret key of the project"
        " decides for which, so nobody chose it: about eight patients of ten are learnt from, one"
        " helps to choose models, one is sealed. Documents without a patient count as patients."
    )
    counts = count_parts(connection)
    uses = USES
    if made.purpose == "everything":
        uses = {**USES, Part.SEAL: SEAL_OF_EVERYTHING}
    rows = [
        (
            uses[part],
            *(f"{n:,}" for n in (one.documents, one.done, one.patients, one.patients_done)),
        )
        for part, one in counts.items()
    ]
    header = ("use", "documents", "reviewed", "patients", "wholly reviewed")
    yield Table(header, rows)
    yield _learnt(made)
    if made.purpose == "everything":
        return
    figures, outcome = made.outcome.figures, made.outcome
    patients = 0 if figures is None else figures.patients
    yield (
        f"It was scored with {counted(len(made.scored), 'sealed document')} of"
        f" {counted(patients, 'patient')}. The review draws sealed patients at random, each as"
        " likely as any other, and hands out all documents of a patient before the next. Until a"
        " person has said that a sealed document is done, nothing that a model finds in it is"
        " shown."
    )
    given = _given(connection, made)
    if given:
        yield (
            f"{given:,} of these documents had marks already when they were imported. Whoever"
            " reviewed them saw these marks."
        )
    if outcome.unfinished:
        were = counted(outcome.unfinished, "sealed patient was", "sealed patients were")
        yield f"{were} drawn, but not wholly reviewed, and could not be scored with."
    if outcome.left_out:
        were = counted(outcome.left_out, "sealed patient was", "sealed patients were")
        yield (
            f"{were} left out, because this model, or one that it comes from, may have seen them:"
            " other documents of the patient, or the same words in a document of another one."
        )


def _learnt(made: Finished) -> str:
    in_part = made.outcome.in_part
    whole = counted(len(made.learnt_from) - in_part, "document")
    if not in_part:
        return f"The model learnt from {whole}, each reviewed as a whole."
    return (
        f"The model learnt from {whole} as a whole and from {counted(in_part, 'document')} in part:"
        " of documents that nobody has said to be done, it learnt from the lines in which a person"
        " had decided something."
    )


def _given(connection: sqlite3.Connection, made: Finished) -> int:
    keys = {key for key, _ in made.scored}
    rows = connection.execute("SELECT DISTINCT document FROM mention WHERE uid GLOB 'g[0-9]*'")
    return len(keys & {key for (key,) in rows})


def _people(connection: sqlite3.Connection) -> Iterator[str | Table]:
    yield "How many documents each person has reviewed, and when. The last decision counts."
    rows = connection.execute(
        "SELECT decided_by, fold, count(*), min(decided_at), max(decided_at) FROM document"
        " WHERE state = 'done' AND decided_by IS NOT NULL GROUP BY decided_by, fold"
    )
    people: dict[str, tuple[dict[Part, int], list[str]]] = {}
    for who, fold, count, *days in rows:
        parts, found = people.setdefault(who, (dict.fromkeys(Part, 0), []))
        parts[part_of(fold)] += count
        found += days
    yield Table(
        ("person", "to learn from", "to choose", "sealed", "first", "last"),
        [
            (who, *(f"{n:,}" for n in parts.values()), min(days)[:10], max(days)[:10])
            for who, (parts, days) in sorted(people.items())
        ],
    )


def _model(project: Project, made: Finished) -> Iterator[str | Table]:
    settings = project.settings
    yield Table(
        ("setting", "value"),
        [
            ("started from", "nothing" if made.base_sha256 is None else Path(settings.model).name),
            ("iterations of training", f"{made.iterations:,}"),
            ("policy", settings.policy),
            ("language", settings.language),
            ("labels", ", ".join(label.name for label in settings.labels)),
        ],
        numbers=2,
    )
    outcome = made.outcome
    if outcome.not_learnt:
        few = ", ".join(outcome.not_learnt)
        yield f"Not learnt, because there are fewer than {EXAMPLES} examples: {few}."
    if outcome.remark:
        yield outcome.remark


def _scores(outcome: Outcome) -> Iterator[str | Table]:
    figures = outcome.figures
    if figures is None:
        yield "There were too few patients to measure anything."
        return
    yield from _figures(figures)


def _figures(figures: Figures) -> Iterator[str | Table]:
    how = {
        "sealed": "on sealed patients",
        "cross-validated": "by folds of patients, on those that are not sealed",
    }[figures.how]
    yield (
        f"Of the model alone, without patterns, {how}:"
        f" {counted(figures.documents, 'document')}, {counted(figures.patients, 'patient')}. A mark"
        " of the model is right if a person has marked the same words with the same label."
        " Precision is the share of its marks that are right, recall the share of the marks of"
        " people that it found, F1 a mean of both; 1 is perfect."
    )
    yield (
        "In brackets: how far a figure could be from this one with other patients of the same kind"
        f" (95{NBSP}% intervals, by drawing from these patients again and again). With few patients"
        " they are too narrow, and where no error was found they say nothing."
    )
    yield Table(
        ("measure", "value"),
        [
            ("F1 of all labels", _shown(figures.f1)),
            ("share of the marked words that the model misses", _percent(figures.missed)),
        ],
    )
    yield Table(
        ("label", "marked by people", "precision", "recall", "F1"),
        [
            (one.label, f"{one.gold:,}", *map(_shown, (one.precision, one.recall, one.f1)))
            for one in figures.labels
        ],
    )


def _shown(figure: Figure) -> str:
    return f"{figure.value:.3f} ({figure.low:.3f}–{figure.high:.3f})"


def _percent(figure: Figure) -> str:
    value, low, high = (_share(one, 1) for one in (figure.value, figure.low, figure.high))
    return f"{value} ({low}–{high})"


def _share(value: float, digits: int | None = None) -> str:
    number = f"{100 * value:g}" if digits is None else f"{100 * value:.{digits}f}"
    return f"{number}{NBSP}%"


def _in_words(promise: Promised) -> str:
    """Say in two sentences what is promised."""
    most = f"at most {_share(promise.level)} of a patient's identifier words are missed"
    about = "over patients like the sealed ones. What the policy keeps is not counted."
    if promise.confidence is None:
        return f"on average {most}, {about} In a single project it can be more."
    return f"with a confidence of {_share(promise.confidence)}, {most} on average {about}"


def _promise(outcome: Outcome) -> Iterator[str | Table]:
    promise = outcome.promise
    if promise is None:
        yield "None."
        if outcome.without is not None:
            yield f"{outcome.without[0].upper()}{outcome.without[1:]}.{_more(outcome)}"
        return
    words = _in_words(promise)
    yield f"{words[0].upper()}{words[1:]}"
    if promise.confidence is not None:
        yield (
            "The confidence is about which patients were drawn: of many such promises, each with"
            f" patients of its own, {_share(promise.confidence)} or more are kept."
        )
    yield (
        "It holds for everything that takes identifiers out together: the model, patterns, the"
        " second look and the policy, used as below."
    )
    yield Table(
        ("on the sealed patients", "missed", "precision"),
        [
            (
                f"threshold of the promise: {promise.threshold:.3g}",
                _share(promise.missed, 2),
                _share(promise.precision, 1),
            ),
            (
                "usual threshold: 0.5",
                _share(promise.usual_missed, 2),
                _share(promise.usual_precision, 1),
            ),
        ],
    )
    yield (
        "Precision is the share of what is taken out that people marked. The difference is what the"
        " promise costs: words that are taken out needlessly."
    )


def _limits(made: Finished) -> Iterator[str]:
    yield (
        "All of it is about notes like these: another hospital, another kind of note, another"
        " language or time can be different. It is about shares on average over patients, not about"
        " each patient: single documents can have more left in them."
    )
    yield (
        "What people marked counts as the truth. What they overlooked is not counted as missed."
        " It does not say whether somebody can be recognised by what is no identifier, such as a"
        " rare disease."
    )
    if made.scored:
        yield (
            "Nobody can see here whether the model that it started from was trained elsewhere on"
            " copies of the sealed notes."
        )
    if made.outcome.promise is not None:
        yield (
            "The promise ends if the model, the policy or the options are changed, or if the level"
            " was chosen after the scores had been seen. The sealed patients are used up: another"
            " model needs others."
        )


def _use(project: Project, made: Finished) -> Iterator[str | Commands]:
    promise = made.outcome.promise
    asked = "" if promise is None else f" {asked_for(promise.level, promise.confidence)}"
    files = f"--model {made.file} --policy {shlex.quote(project.settings.policy)}"
    yield "In the folder of the project; NOTES is what is to be de-identified, SAFE a new folder:"
    yield Commands(
        (
            f"lacuna deid NOTES -o SAFE {files}{asked}",
            "lacuna audit draw SAFE",
            f"lacuna inspect {made.file}",
        )
    )
    yield "An audit of the result by a person is advisable in any case."


def _hashes(project: Project, made: Finished) -> Iterator[Table]:
    yield Table(
        ("what", "value"),
        [
            ("lacuna", __version__),
            ("model", made.file),
            ("SHA-256 of the model", made.sha256),
            ("SHA-256 of the model it started from", made.base_sha256 or "started from nothing"),
            ("digest of the policy", project.policy().digest),
        ],
        numbers=2,
    )
