"""Projects for walks, and steps that all of them take."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.text.document import Document
from lacuna.web.importing import import_documents
from lacuna.web.project import create_project
from lacuna.web.project_file import Settings, labels_named

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.web.walks.quiet import Quiet
    from tests.web.walks.serving import Serve

LABELS = ("PATIENT", "DOCTOR", "DATE", "FINDING")
TEXT = "Seen by Dr. Ana Sató 😀 on 03/14 for pain in left arm and leg. Case {}."


def document(number: int) -> Document:
    """Return a note with a doctor, a date, and in every tenth a finding with a gap."""
    text = TEXT.format(f"word{number}")

    def at(words: str) -> list[int]:
        return [text.index(words), text.index(words) + len(words)]

    mentions = [
        {"label": "DOCTOR", "spans": [at("Ana Sató")]},
        {"label": "DATE", "spans": [at("03/14")], "probability": 0.75},
    ]
    if number % 10 == 0:
        mentions.append({"label": "FINDING", "spans": [at("left"), at("leg")]})
    return Document.from_dict(
        {"id": f"note-{number:03}", "text": text, "group": f"p{number // 3}", "mentions": mentions}
    )


def make_project(folder: Path, documents: Iterable[Document], *, model: str = "none") -> Path:
    """Make a project with documents, none held out; without a model it starts at once."""
    settings = Settings(folder.name, labels=labels_named(LABELS), model=model)
    with create_project(folder, settings) as project:
        import_documents(project.store, documents)
        with project.store.database.writing() as connection:
            connection.execute("UPDATE document SET fold = 1")
    return folder


def opened(tabs: Quiet, serve: Serve, screen: str = "") -> Page:
    """Open the link, and then a screen, e.g. ``documents``."""
    page = tabs.page()
    page.goto(serve.link)
    # a note, or the start page; the first note waits for kernels to be compiled
    page.locator("#pane .piece, .screen, .empty").first.wait_for(timeout=120_000)
    if screen:
        go(page, screen)
    return page


def go(page: Page, screen: str) -> None:
    """Go to a screen as its link does."""
    page.evaluate("screen => { location.hash = `#/${screen}` }", screen)
