"""Routes to read and change what ``project.toml`` says."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Response

from lacuna.deid.policy import policies
from lacuna.errors import LacunaError
from lacuna.io.formats import FORMATS, Format, Shape
from lacuna.version import __version__
from lacuna.web.project import Project
from lacuna.web.project_file import (
    COLOURS,
    NAME,
    NO_FILES,
    Label,
    Settings,
    parse_settings,
    written,
)
from lacuna.web.server import project_shapes as shapes
from lacuna.web.server.paths_below import path_below
from lacuna.web.server.problems import Problem
from lacuna.web.server.served import Served, served_by
from lacuna.web.server.views import Json, answer
from lacuna.web.suggestions import Suggester
from lacuna.web.teaching.models import set_live

Here = Annotated[Served, Depends(served_by)]
router = APIRouter()
#: Classes ``.h0`` to ``.h9`` of palette.css, by the names of project.toml.
HUES = dict(zip(COLOURS, (0, 2, 1, 7, 3, 5, 4, 6, 8, 9), strict=True))
SHORT = 10  #: characters of a label that stand before a mention


@router.get("/project", response_model=shapes.ProjectShape)
def project(served: Here) -> Response:
    """Return name, labels, counts, and what can be done with the project."""
    opened = served.project
    return answer(_project(served, opened), etag=settings_etag(opened))


@router.patch("/project", response_model=shapes.ProjectShape)
def change_project(
    served: Here,
    asked: shapes.ProjectChange,
    if_match: Annotated[str | None, Header(description="The ETag that was seen.")] = None,
) -> Response:
    """Change settings; they are written to ``project.toml``."""
    opened = served.project
    if if_match is None:
        raise Problem(428, "The header If-Match has to say which settings were seen.")
    if if_match.strip() != f'"{settings_etag(opened)}"':
        raise Problem(412, "The settings were changed in the meantime.", kind="changed")
    _check_files(served, opened, asked)
    content = written(_changed(opened.settings, asked)).encode()
    path = opened.folder / NAME
    try:
        changed = replace(opened, settings=parse_settings(content, path))
        is_other = changed.settings.model != opened.settings.model
        suggester = Suggester.open(changed, base=is_other)
    except LacunaError:
        detail = "Name, policy, model or labels cannot be used; keys and labels must differ."
        raise Problem(422, detail, kind="settings") from None
    replace_file(path, content)
    if is_other:
        set_live(changed, None)
    served.set_project(changed)
    served.use(suggester)
    served.events.tell("project")
    return answer(_project(served, changed), etag=settings_etag(changed))


def _check_files(served: Served, project: Project, asked: shapes.ProjectChange) -> None:
    """Raise :class:`Problem` if a policy or model is a file that must not be read."""
    names = {asked.policy: (*policies(), project.settings.policy)}
    names |= {asked.model: (*NO_FILES, project.settings.model)}
    for name, known in names.items():
        if name is not None and name not in known:
            path = (project.folder / name).resolve()
            if not path.is_relative_to(project.folder.resolve()):
                path_below(served.root, str(path))


def _changed(settings: Settings, asked: shapes.ProjectChange) -> Settings:
    given: dict[str, Any] = asked.model_dump(exclude_none=True, exclude={"labels"})
    if asked.labels is not None:
        labels = {one.name: one for one in asked.labels}
        if len(labels) < len(asked.labels):
            raise Problem(422, "Two labels have the same name.", kind="settings")
        bare = replace(settings, labels=())
        known = {one.name: one for one in bare.with_labels(labels)}
        given["labels"] = tuple(
            Label(name, one.key, one.colour or known[name].colour) for name, one in labels.items()
        )
    return replace(settings, **given)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file, completely or not at all; only its owner can read it."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)


def settings_etag(project: Project) -> str:
    """Return what identifies the settings of a project."""
    return hashlib.sha256(written(project.settings).encode()).hexdigest()[:16]


def _project(served: Served, project: Project) -> Json:
    settings, counts = project.settings, project.store.counts()
    suggester = served.suggester
    model = suggester and {
        "key": suggester.model,
        "name": suggester.name,
        "labels": list(suggester.labels),
    }
    return {
        "name": settings.name,
        "language": settings.language,
        "person": served.person,
        "version": __version__,
        "policy": settings.policy,
        "policies": _policies(settings),
        "threshold": settings.threshold,
        "labels": [_label(one) for one in settings.with_labels(counts.labels)],
        "model": model,
        "counts": {
            "documents": counts.documents,
            "states": counts.states,
            "flagged": counts.flagged,
            "held_out": counts.held_out,
            "mentions": counts.mentions,
            "groups": counts.groups,
            "parts": {part: asdict(one) for part, one in counts.parts.items()},
        },
        "formats": [_format(one) for one in FORMATS.values()],
        "demo": served.demo,
        "folder": str(project.folder.resolve()),
        "filling": served.filler.progress,
    }


def _policies(settings: Settings) -> list[str]:
    return list(dict.fromkeys((*policies(), settings.policy)))


def _label(label: Label) -> Json:
    short = label.name if len(label.name) <= SHORT else f"{label.name[: SHORT - 1]}…"
    return {
        "name": label.name,
        "short": short,
        "key": label.key,
        "colour": label.colour,
        "hue": HUES[label.colour],
    }


def _format(format_: Format) -> Json:
    return {
        "name": format_.name,
        "suffix": next(iter(format_.suffixes), ".json"),
        "shape": "file" if format_.shape is Shape.STREAM else "folder",
        "writes": True,
    }
