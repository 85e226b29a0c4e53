"""Shows documents in the pane, and reads what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lacuna.text.tokens import tokenize

if TYPE_CHECKING:
    from playwright.sync_api import Page

LABELS = [
    {"name": name, "short": name, "hue": hue}
    for hue, name in enumerate(
        ["PATIENT", "DOCTOR", "DATE", "HOSPITAL", "PHONE", "ID", "CITY", "AGE", "FINDING", "OTHER"]
    )
]


def tokens(text: str) -> dict[str, list[int]]:
    found = tokenize(text)
    return {"start": found.start.tolist(), "end": found.end.tolist()}


def mention(uid: str, label: str, *spans: tuple[int, int], **more: Any) -> dict[str, Any]:
    return {
        "uid": uid,
        "label": label,
        "spans": [list(span) for span in spans],
        "status": "suggested",
        "probability": 0.9,
        **more,
    }


def show(page: Page, text: str, mentions: list[dict[str, Any]] | None = None) -> None:
    document = {
        "text": text,
        "labels": LABELS,
        "mentions": mentions or [],
        "tokens": tokens(text),
    }
    page.evaluate("document => { pane.show(document); events.length = 0 }", document)
    frames(page)  # blocks can be clicked once they have been painted


def frames(page: Page) -> None:
    """Wait until everything is painted."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def events(page: Page, name: str) -> list[Any]:
    return [value for kind, value in page.evaluate("events") if kind == name]


def point(page: Page, offset: int, *, ending: bool = False) -> tuple[float, float]:
    """Return where a border between characters is in the window, in code points."""
    x, y = page.evaluate(
        """([offset, ending]) => {
          const unit = pane.offsets.toUnit(offset);
          const other = pane.offsets.character(unit, ending ? -1 : 1);
          const span = [Math.min(unit, other), Math.max(unit, other)];
          pane.pieces.reveal(span, pane.element);
          const rects = pane.pieces.rects(span);
          const rect = ending ? rects.at(-1) : rects[0];
          const from = ending ? rect.right - 0.5 : rect.left + 0.5;
          return [from, (rect.top + rect.bottom) / 2];
        }""",
        [offset, ending],
    )
    return x, y


def drag(page: Page, start: int, end: int) -> None:
    """Drag from before the character at ``start`` to after the one before ``end``."""
    point(page, start)
    to = point(page, end, ending=True)
    page.mouse.move(*point(page, start))
    page.mouse.down()
    page.mouse.move(*to, steps=3)
    page.mouse.up()
