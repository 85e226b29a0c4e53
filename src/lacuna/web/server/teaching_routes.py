"""Routes to teach a model, to see how good it is, and to go back to an earlier one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Path, Response

from lacuna.errors import ModelFileError
from lacuna.pictures.learning_curve import Point, learning_curve
from lacuna.text.plurals import counted
from lacuna.web.finishing.promise_meter import promise_meter
from lacuna.web.model_files import ModelGoneError, NoSuchModelError, live_key
from lacuna.web.server import teaching_shapes as shapes
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.shapes import LARGEST
from lacuna.web.server.views import Json, answer
from lacuna.web.teaching import waiting
from lacuna.web.teaching.gate import LEAST_DOCUMENTS
from lacuna.web.teaching.learnable import (
    EXAMPLES,
    IN_GATE,
    IN_SEAL,
    Version,
    label_counts,
    size_of,
    to_learn,
    too_rare,
)
from lacuna.web.teaching.models import Taught, all_taught
from lacuna.web.teaching.teacher import BusyError, Job, NothingToLearnError

Here = Annotated[Served, Depends(served_by)]
ModelPath = Annotated[int, Path(ge=0, le=LARGEST)]
router = APIRouter()
WORTH_IT = 5  #: documents that are new to the live model, before teaching is advised


@router.get("/teaching", response_model=shapes.TeachingShape)
def teaching(served: Here) -> Response:
    """Say how far teaching is, what the models are, and how good the newest is."""
    said = _teaching(served)
    if said["learnt"]["since_live"] >= WORTH_IT:
        served.teacher.warm()
    return answer(said)


@router.post("/teaching", status_code=202, response_model=shapes.TeachingShape)
def teach(served: Here) -> Response:
    """Begin to learn from all that was reviewed."""
    try:
        served.teacher.start()
    except BusyError:
        raise Problem(409, "The model is learning already.", kind="busy") from None
    except NothingToLearnError:
        detail = "There is nothing to learn from yet; review a few documents first."
        raise Problem(422, detail, kind="nothing-to-learn") from None
    except ModelGoneError:
        raise _gone() from None
    return answer(_teaching(served), 202)


@router.delete("/teaching", response_model=shapes.TeachingShape)
def stop_teaching(served: Here) -> Response:
    """End learning after this iteration; what was learnt is judged, and kept if it is good."""
    served.teacher.stop()
    return answer(_teaching(served))


@router.post("/models/{key}/live", response_model=shapes.TeachingShape)
def go_live(served: Here, key: ModelPath) -> Response:
    """Let another model suggest; 0 is that of project.toml."""
    try:
        served.teacher.go_live(key or None)
    except NoSuchModelError:
        raise Problem(404, "There is no such model.") from None
    except ModelFileError:
        raise _gone() from None
    return answer(_teaching(served))


@router.get("/teaching/curve.svg", response_class=Response)
def curve_picture(served: Here) -> Response:
    """Draw the learning curve."""
    with served.store.database.reading() as connection:
        points = _curve(all_taught(connection))
    rows = [Point(one["documents"], one["missed"], one["low"], one["high"]) for one in points]
    return Response(learning_curve(rows), media_type="image/svg+xml")


def _gone() -> Problem:
    return Problem(409, "The file of the model is gone, or was changed.", kind="model-gone")


# --- what is said


def _teaching(served: Served) -> Json:
    with served.store.database.reading() as connection:
        models, live = all_taught(connection), live_key(connection)
        learnable = to_learn(connection)
        learnt = {"documents": len(learnable), "since_live": _since(models, live, learnable)}
        gate, sealed = size_of(connection, IN_GATE), size_of(connection, IN_SEAL)
        return {
            "job": _job(served.teacher.job),
            "live": live or 0,
            "learnt": learnt,
            "gate": asdict(gate),
            "sealed": asdict(sealed),
            "advice": advice(learnt["documents"], learnt["since_live"], gate.documents),
            "models": [_model(one, live) for one in models],
            "last": _outcome(served, connection, models[0]) if models else None,
            "curve": _curve(models),
            "doubts": [asdict(one) for one in waiting.doubts(connection, served.model)],
            "few": _few(served, connection),
            "promise": promise_meter(connection, served.project),
        }


def advice(documents: int, since: int, gate: int) -> str:
    """Return one sentence about what to do next."""
    if not documents:
        return "Review a few documents; then the model can learn from them."
    if not since:
        return "The model knows all that was reviewed; review more documents."
    if gate < LEAST_DOCUMENTS:
        more = counted(LEAST_DOCUMENTS - gate, "held-out document")
        return f"Review {more} more, and new models are checked before they suggest."
    if since < WORTH_IT:
        return f"{counted(since, 'document')} since the last model; a few more, then teach."
    return f"{counted(since, 'document')} since the last model: teach now."


def _since(models: Sequence[Taught], live: int | None, learnable: Sequence[Version]) -> int:
    """Return how many documents the live model has not seen as they are now."""
    known = {version for one in models if one.key == live for version in one.learnt_from}
    return sum(tuple(version) not in known for version in learnable)


def _job(job: Job | None) -> Json | None:
    if job is None:
        return None
    names = ("state", "iteration", "iterations", "seconds", "message")
    return {name: getattr(job, name) for name in names}


def _model(one: Taught, live: int | None) -> Json:
    names = ("key", "made_at", "made_by", "parent", "iterations", "seconds", "went_live", "why")
    said = {name: getattr(one, name) for name in names}
    return said | {"documents": len(one.learnt_from), "live": one.key == live}


def _outcome(served: Served, connection: sqlite3.Connection, newest: Taught) -> Json:
    compared, before = newest.compared, served.teacher.before
    changes = None
    if before is not None and before[0] == newest.key:
        changes = asdict(waiting.changes(connection, before[1], served.model))
    return {
        "key": newest.key,
        "verdict": compared.verdict,
        "documents": compared.documents,
        "before": msgspec.to_builtins(compared.before),
        "now": msgspec.to_builtins(compared.now),
        "labels": msgspec.to_builtins(compared.labels),
        "changes": changes,
    }


def _curve(models: Sequence[Taught]) -> list[Json]:
    """Return the missed share of the models that went live, the first before them at 0 documents.

    Each was measured on the documents that the gate had then.
    """
    points: list[Json] = []
    for one in reversed(models):
        before, now = one.compared.before, one.compared.now
        if not points and before.missed is not None and one.parent is None:
            first = {"missed": before.missed, "low": before.missed_low, "high": before.missed_high}
            points.append({"key": 0, "documents": 0, **first})
        if one.went_live and now.missed is not None:
            figures = {"missed": now.missed, "low": now.missed_low, "high": now.missed_high}
            points.append({"key": one.key, "documents": len(one.learnt_from), **figures})
    return points


def _few(served: Served, connection: sqlite3.Connection) -> list[Json]:
    """Return the labels that the model does not know and that have too few examples."""
    examples = dict.fromkeys((one.name for one in served.project.settings.labels), 0)
    examples |= label_counts(connection)
    rare = too_rare(examples, () if served.suggester is None else served.suggester.known)
    return [{"label": label, "examples": min(examples[label], EXAMPLES - 1)} for label in rare]
