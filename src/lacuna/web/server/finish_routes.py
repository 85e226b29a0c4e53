"""Routes to finish a project: a model, its scores, a promise and a protocol."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Response

from lacuna.web.finishing.finish_plan import NOTHING, plan
from lacuna.web.finishing.list_finished import finished_models
from lacuna.web.finishing.promise_meter import promise_meter
from lacuna.web.finishing.records import FinishAsked, RefusedError
from lacuna.web.finishing.sealed import count_sealed
from lacuna.web.server import finish_shapes as shapes
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import Json, answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()


@router.get("/finish", response_model=shapes.FinishShape)
def finished(served: Here) -> Response:
    """Return finished models, and how far the present one is."""
    return answer(_finish(served))


@router.post("/finish", status_code=202, response_model=shapes.FinishShape)
def begin(served: Here, asked: shapes.FinishAskedShape) -> Response:
    """Begin to train, score and write a model."""
    wanted = msgspec.convert(asked.model_dump(), FinishAsked)
    project = served.project
    try:
        plan(project, wanted)
    except RefusedError as error:
        reason = str(error)
        status = 422 if error.kind == NOTHING else 409
        detail = f"{reason[0].upper()}{reason[1:]}."
        raise Problem(status, detail, kind=error.kind) from None
    served.finishing.start(project.folder, served.person, wanted)
    return answer(_finish(served), 202)


@router.delete("/finish", response_model=shapes.FinishShape)
def stop(served: Here) -> Response:
    """Stop; nothing is written, and the seal stays closed."""
    served.finishing.stop()
    return answer(_finish(served))


def _finish(served: Served) -> Json:
    with served.store.database.reading() as connection:
        content = {
            "finished": finished_models(connection),
            "sealed": count_sealed(connection),
            "promise": promise_meter(connection, served.project),
        }
    return {"job": served.finishing.job, **content}
