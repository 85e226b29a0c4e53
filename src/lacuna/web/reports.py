"""Web pages that were made in a project, in its folder ``reports``: protocols, reports of runs.

Their names are ours, e.g. ``deid-2026-03-14-091500.html``; nothing else is ever read by a name that
a browser sends.
"""

from __future__ import annotations

import os
import re
import stat
from datetime import datetime
from pathlib import Path

from lacuna.web.exporting import new_path
from lacuna.web.project import Project

REPORTS, SUFFIX = "reports", ".html"
NAME = r"^[a-z]{1,20}-[0-9-]{1,40}\.html$"  #: of a page
LARGEST = 1 << 26  #: bytes; no page of ours is as large
_NAME = re.compile(NAME.removeprefix("^").removesuffix("$"), re.ASCII)


def new_report(project: Project, what: str) -> Path:
    """Return the path of a page to write; `what` are lower-case letters, e.g. ``deid``."""
    path = new_path(project.folder / REPORTS, what, SUFFIX, datetime.now())
    assert _NAME.fullmatch(path.name)
    return path


def read_report(project: Project, name: str) -> bytes | None:
    """Return a page by its name; ``None`` if there is none. Links are not followed."""
    if not _NAME.fullmatch(name):
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        folder = os.open(project.folder / REPORTS, flags | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except OSError:
        return None
    finally:
        os.close(folder)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read()
