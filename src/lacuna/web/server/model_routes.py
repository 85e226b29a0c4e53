"""Routes to what is inside a model: the data of the model page, and its pictures."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Response

from lacuna.errors import ModelFileError
from lacuna.web.model_calibration import calibration_picture, gate_documents
from lacuna.web.model_facts import Inspected
from lacuna.web.model_files import NoSuchModelError, model_file
from lacuna.web.server.model_shapes import ModelPage
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.shapes import LARGEST
from lacuna.web.server.views import answer

Here = Annotated[Served, Depends(served_by)]
ModelKey = Annotated[int, Path(ge=0, le=LARGEST, description="0: the model of project.toml.")]
router = APIRouter()
SVG = "image/svg+xml"
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {SVG: {"schema": {"type": "string"}}}, "description": "A picture"}
}


@router.get("/models/{key}", response_model=ModelPage)
def model_page(served: Here, key: ModelKey) -> Response:
    """Return what is inside a model."""
    return answer(_inspected(served, key).page())


@router.get("/models/{key}/transitions.svg", responses=_PICTURE, response_class=Response)
def transitions(served: Here, key: ModelKey) -> Response:
    """Draw which tag follows which."""
    return _picture(_inspected(served, key).picture())


@router.get("/models/{key}/subtags.svg", responses=_PICTURE, response_class=Response)
def subtags(served: Here, key: ModelKey, label: Annotated[str, Query(max_length=100)]) -> Response:
    """Draw the sub-tags around a label."""
    return _picture(_inspected(served, key).picture(label))


@router.get("/models/{key}/calibration.svg", responses=_PICTURE, response_class=Response)
def calibration(served: Here, key: ModelKey) -> Response:
    """Draw whether its probabilities are right, on reviewed documents of the gate."""
    tagger = _inspected(served, key).tagger
    return _picture(calibration_picture(tagger, gate_documents(served.store)))


def _inspected(served: Served, key: int) -> Inspected:
    try:
        return served.inspected.get(model_file(served.project, key))
    except NoSuchModelError:
        raise Problem(404, "There is no such model.") from None
    except ModelFileError:
        detail = "The file of the model is gone, damaged or was changed."
        raise Problem(409, detail, kind="model-file") from None


def _picture(drawn: str | None) -> Response:
    if drawn is None:
        raise Problem(404, "There is no such picture of this model.")
    return Response(drawn.encode(), media_type=SVG)
