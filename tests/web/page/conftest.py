"""The page with its server, in this process; what is suggested is said by the test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lacuna.text.document import Document
from lacuna.web.edits import suggestion_uid
from lacuna.web.importing import import_documents
from lacuna.web.project import create_project
from lacuna.web.project_file import Settings, labels_named
from lacuna.web.store import Store
from lacuna.web.suggesting import Doubt, Suggested, Suggestion
from tests.web.browsing import browser as browser
from tests.web.walks.quiet import Quiet, quiet

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LABELS = ("PATIENT", "DOCTOR", "DATE", "HOSPITAL", "FINDING")
TEXT = (
    "Seen 4/13/20 by Dr. Adams.\n"
    "Ms Brichese has pain in left arm and leg, as her mother Emilie Mace says.\n"
    "Saint Mary Hospital, 5/1/20.\n"
)


def spans_of(text: str, *words: str) -> tuple[tuple[int, int], ...]:
    return tuple((text.index(one), text.index(one) + len(one)) for one in words)


class Words:
    """Suggests given words wherever a note has them."""

    model, name, labels, known, overlapping = 1, "words", LABELS, LABELS, True
    found = (
        ("DATE", "4/13/20", 0.99),
        ("DOCTOR", "Adams", 0.97),
        ("DOCTOR", "Brichese", 0.6),  # wrong: a patient
        ("HOSPITAL", "Saint Mary Hospital", 0.9),
    )
    doubtful = (("PATIENT", "Emilie Mace", 0.4),)

    def for_document(self, store: Store, key: int) -> Suggested:
        reviewed = store.document(key)
        assert reviewed is not None
        return self.of(reviewed.source.text)

    def of(self, text: str) -> Suggested:
        return Suggested(
            tuple(
                Suggestion(uid, label, spans, chance, "model")
                for uid, label, spans, chance in self._in(text, self.found)
            ),
            tuple(Doubt(*one) for one in self._in(text, self.doubtful)),
            1.0,
            (),
        )

    def _in(self, text: str, given: Any) -> Iterator[tuple[str, str, Any, float]]:
        for label, words, chance in given:
            if words in text:
                spans = spans_of(text, words)
                yield suggestion_uid(label, spans), label, spans, chance


class Running:
    """A server of notes."""

    def __init__(self, served: Any, origin: str) -> None:
        self.served, self.origin = served, origin
        self.store: Store = served.store
        self.link = f"{origin}/#k={served.sessions.token}"


@contextmanager
def running(folder: Path, documents: list[Document], suggester: Any) -> Iterator[Running]:
    """Serve notes on a free port."""
    uvicorn = pytest.importorskip("uvicorn")
    from lacuna.web.server.app import create_app
    from lacuna.web.server.running import bound_sockets, port_of
    from lacuna.web.server.security import loopback
    from lacuna.web.server.served import Served

    settings = Settings("Ward 7", model="none", labels=labels_named(LABELS))
    with create_project(folder, settings) as project:
        import_documents(project.store, documents)
        sockets = bound_sockets(["127.0.0.1"], 0)
        port = port_of(sockets)
        served = Served(project, person="Anna", root=folder, address=loopback(port))
        served.suggester = suggester
        config = uvicorn.Config(create_app(served), log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": sockets}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield Running(served, f"http://127.0.0.1:{port}")
        server.should_exit = True
        served.close()
        thread.join(10)


Serve = Callable[..., Running]
OpenTabs = Callable[..., Quiet]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve notes until the end of the test: ``serve("text of a note", …)``."""
    with ExitStack() as stack:

        def start(*texts: str, suggester: Any = None) -> Running:
            documents = [
                Document(f"n{number}", text, group="p1" if number < 3 else f"p{number}")
                for number, text in enumerate(texts or (TEXT, TEXT, TEXT), start=1)
            ]
            folder = tmp_path / f"project{len(list(tmp_path.iterdir()))}"
            return stack.enter_context(running(folder, documents, suggester or Words()))

        yield start


@pytest.fixture
def tabs_of(browser: Browser) -> Iterator[OpenTabs]:
    """Open browsers for a server; at the end nothing went wrong in them unseen."""
    with ExitStack() as stack:

        def start(server: Running, **options: Any) -> Quiet:
            options = {"viewport": {"width": 1280, "height": 800}, **options}
            return stack.enter_context(quiet(browser, server.origin, **options))

        yield start


@pytest.fixture
def page(serve: Serve, tabs_of: OpenTabs) -> Page:
    """The page at the first note."""
    server = serve()
    tab = tabs_of(server).page()
    tab.goto(server.link)
    tab.locator("#pane .m").first.wait_for()
    return tab
