"""Routes to de-identify the project, or files of this machine."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from lacuna.archive.manifest import private_folder
from lacuna.errors import ConfigError, ModelFileError
from lacuna.web.deid_orders import Order
from lacuna.web.deid_runs import BusyError, DeidRun, RunState
from lacuna.web.exporting import new_path
from lacuna.web.model_files import OF_SETTINGS, NoSuchModelError, live_key, model_file
from lacuna.web.reports import new_report
from lacuna.web.server import deid_run_shapes as shapes
from lacuna.web.server.export_routes import check_policy
from lacuna.web.server.paths_below import existing_below, exists_already, new_below
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.shapes import KeyPath
from lacuna.web.server.views import Json, answer

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
PROJECT = "project"
JSON_LINES = ".jsonl"


@router.post("/deid-runs", status_code=202, response_model=shapes.DeidRunShape)
def start_run(served: Here, asked: shapes.DeidAsked) -> Response:
    """Begin to de-identify; a dry run counts and writes nothing."""
    check_policy(served, asked.policy)
    source = None if asked.source == PROJECT else existing_below(served.root, asked.source)
    if source is None and not served.store.counts().documents:
        raise Problem(422, "The project has no documents.", kind="no-documents")
    model = _model(served)
    if model is None and source is not None:
        raise Problem(409, "The project has no model.", kind="no-model")
    output = None if asked.dry else _output(served, asked, source)
    if output is not None and source is not None:
        _check_apart(source, output)
    order = Order(
        project=str(served.project.folder.resolve()),
        source=None if source is None else str(source),
        model=None if model is None else str(model),
        policy=asked.policy,
        threshold=asked.threshold,
        output=None if output is None else str(output),
        format="txt" if output is not None and output.suffix != JSON_LINES else "jsonl",
        group_from=asked.group_from or None,
        report=None if asked.dry else str(new_report(served.project, "deid").resolve()),
    )
    try:
        run = served.deid_runs.start(order)
    except BusyError:
        detail = "Another run is going on; wait for it, or stop it."
        raise Problem(409, detail, kind="running") from None
    except ConfigError as error:
        raise Problem(409, f"It cannot be written: {error}.", kind="not-written") from None
    served.events.tell("deid")
    return answer(run_json(run), 202)


@router.get("/deid-runs", response_model=shapes.DeidRunsShape)
def all_runs(served: Here) -> Response:
    """List the runs since the server was started."""
    return answer({"runs": [run_json(run) for run in served.deid_runs.all()]})


@router.get("/deid-runs/{job}", response_model=shapes.DeidRunShape)
def run_state(served: Here, job: KeyPath) -> Response:
    """Say how far a run is."""
    return answer(run_json(_run(served, job)))


@router.delete("/deid-runs/{job}", response_model=shapes.DeidRunShape)
def stop_run(served: Here, job: KeyPath) -> Response:
    """Stop a run; nothing that it wrote stays."""
    run = _run(served, job)
    if run.state is RunState.RUNNING:
        served.deid_runs.stop(run)
    return answer(run_json(run))


def run_json(run: DeidRun) -> Json:
    """Return how far a run is."""
    order, progress = run.order, run.progress
    is_done = run.state is RunState.DONE
    output = None if order.output is None else Path(order.output)
    has_private = output is not None and order.source is not None
    return {
        "job": run.number,
        "state": run.state,
        "dry": order.is_dry,
        "source": order.source or PROJECT,
        "documents": progress.documents,
        "failed": progress.failed,
        "of": progress.of,
        "share": progress.share,
        "counts": progress.counts,
        "expected_missed": progress.expected_missed,
        "output": None if output is None else str(output),
        "private": str(private_folder(output)) if output is not None and has_private else None,
        "report": f"/api/reports/{Path(order.report).name}" if is_done and order.report else None,
        "remarks": run.remarks,
        "error": run.error,
    }


def _run(served: Served, job: int) -> DeidRun:
    found = served.deid_runs.get(job)
    if found is None:
        raise Problem(404, "There is no such run.")
    return found


def _model(served: Served) -> Path | None:
    """Return the file of the model that suggests."""
    project = served.project
    try:
        key = live_key(project.store.database.reader) or OF_SETTINGS
        return model_file(project, key).path.resolve()
    except NoSuchModelError:
        return None
    except ModelFileError as error:
        raise Problem(409, f"The model {error.reason}.", kind="model-file") from None


def _output(served: Served, asked: shapes.DeidAsked, source: Path | None) -> Path:
    """Return where to write: a new file or folder."""
    project = served.project
    if asked.output:
        path = new_below(served.root, asked.output, project.folder)
    else:
        suffix = JSON_LINES if source is None else ""
        path = new_path(project.exports.resolve(), "deidentified", suffix, datetime.now())
    taken = (path,) if source is None else (path, private_folder(path))
    if any(one.exists() for one in taken):
        raise exists_already()
    return path


def _check_apart(source: Path, output: Path) -> None:
    """Raise :class:`Problem` if files that are read and written would be in one another."""
    for folder in (output, private_folder(output)):
        if folder.is_relative_to(source) or source.is_relative_to(folder):
            detail = "The output has to be outside of what is de-identified; choose another."
            raise Problem(422, detail, kind="path")
