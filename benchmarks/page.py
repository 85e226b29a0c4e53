"""Speed of the review page's text pane in Chromium, against its budgets.

::

    python -m benchmarks.page [--size 200000] [--mentions 2000] [--edits 80] [--json]

A note of made-up words: 60 % simple mentions, 25 % nested or overlapping, 15 % with 2 or 3 parts;
once in lines, once as one line. Needs playwright and a chromium on the path. "To painted" is from
the call to the end of the frame that shows it, at 60 frames per second; "main thread" is all work
of the page's thread, less what the same frames cost without an edit.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from typing import TYPE_CHECKING, Any

from tests.web.browser.helpers import LABELS
from tests.web.browser.server import STATIC, served

from lacuna.text.tokens import tokenize

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

#: What is measured, its unit, and the most it may be.
BUDGETS = {
    "open, lines": ("ms", 400),
    "open, one line": ("ms", 400),
    "edit to painted p50, lines": ("ms", 50),
    "edit to painted p95, lines": ("ms", 50),
    "edit to painted p50, one line": ("ms", 50),
    "edit to painted p95, one line": ("ms", 50),
    "main thread per edit, lines": ("ms", 50),
    "main thread per edit, one line": ("ms", 50),
    "key to painted p95, lines": ("ms", 50),
    "jump scroll p50, lines": ("ms", 100),
    "jump scroll p95, lines": ("ms", 100),
    "heap": ("MB", 10),
    "nodes": ("", 20_000),
    "JS and CSS": ("kB", 120),
}

PAINTED = """
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(null);
  }));
"""
OPEN = f"""async (sent) => {{ {PAINTED}
  await painted();
  const began = performance.now();
  pane.show(JSON.parse(sent));
  await painted();
  return performance.now() - began;
}}"""
EDIT = f"""async () => {{ {PAINTED}
  await painted();
  const began = performance.now();
  pane.update(window.next);
  await painted();
  return performance.now() - began;
}}"""
NOTHING = EDIT.replace("pane.update(window.next);", "")  # what measuring itself costs
KEY = f"""async (action) => {{ {PAINTED}
  await painted();
  const began = performance.now();
  pane.perform(action);
  await painted();
  return performance.now() - began;
}}"""
JUMP = f"""async (share) => {{ {PAINTED}
  await painted();
  const began = performance.now();
  pane.element.scrollTop = share * pane.element.scrollHeight;
  await painted();
  await painted();
  return performance.now() - began;
}}"""


def made_text(size: int, lines: bool, rng: random.Random) -> str:
    """Return made-up words, some of them emoji or right-to-left, in lines of about 60 or in one."""
    syllables = [c + v for c in "bcdfglmnprstv" for v in "aeiou"]
    words = ["".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in range(3_000)]
    words += ["😀", "שלום", "Dr.", "4/13/20"] * 10
    pieces: list[str] = []
    total = width = 0
    while total < size:
        word = rng.choice(words)
        width += len(word) + 1
        end = lines and width > 60
        pieces.append(word + ("\n" if end else " "))
        width = 0 if end else width
        total += len(word) + 1
    return "".join(pieces)


def made_mentions(text: str, count: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return mentions of one to four tokens all over the text, as described above."""
    tokens = tokenize(text)
    start, end = tokens.start.tolist(), tokens.end.tolist()
    found: list[dict[str, Any]] = []
    step = (len(start) - 20) / count
    for number in range(count):
        first = int(number * step)
        kind = rng.random()
        if kind >= 0.85:
            parts = [(first + 3 * part, first + 3 * part) for part in range(rng.randint(2, 3))]
        elif kind >= 0.60 and found:
            first = max(first - rng.randint(1, 3), 0)  # into the one before
            parts = [(first, first + rng.randint(2, 6))]
        else:
            parts = [(first, first + rng.randint(0, 1))]
        label = rng.choice(LABELS)["name"]
        found.append(
            {
                "uid": f"m{number}",
                "label": label,
                "spans": [[start[one], end[other]] for one, other in parts],
                "status": rng.choice(["suggested", "suggested", "accepted"]),
                "probability": rng.random(),
            }
        )
    return found


def edited(mentions: list[dict[str, Any]], at: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return the mentions with one accepted, given another label or borders, or removed."""
    changed = dict(mentions[at])
    kind = rng.randrange(4)
    if kind == 0:
        changed["status"] = "suggested" if changed["status"] == "accepted" else "accepted"
    elif kind == 1:
        changed["label"] = rng.choice(LABELS)["name"]
    elif kind == 2:
        *others, (start, end) = changed["spans"]
        changed["spans"] = [*others, [start, end + 5]]
    else:
        return mentions[:at] + mentions[at + 1 :]
    return [*mentions[:at], changed, *mentions[at + 1 :]]


def metric(cdp: CDPSession, name: str) -> float:
    """Return one of Chromium's own counts."""
    found = cdp.send("Performance.getMetrics")["metrics"]
    return float(next(entry["value"] for entry in found if entry["name"] == name))


def percentile(values: list[float], share: float) -> float:
    """Return the value below which a share of the values lie."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]


def measured(
    page: Page, cdp: CDPSession, size: int, count: int, edits: int, lines: bool
) -> dict[str, float]:
    """Open a note, edit it where it is in view, move the cursor, jump."""
    rng = random.Random(0)
    name = "lines" if lines else "one line"
    text = made_text(size, lines, rng)
    mentions = made_mentions(text, count, rng)
    tokens = tokenize(text)
    borders = {"start": tokens.start.tolist(), "end": tokens.end.tolist()}
    note = {"text": text, "labels": LABELS, "mentions": mentions, "tokens": borders}
    found = {f"open, {name}": page.evaluate(OPEN, json.dumps(note))}
    took, busy, keys, jumps = list[float](), list[float](), list[float](), list[float]()
    for _ in range(edits):
        at = rng.randrange(len(mentions))
        page.evaluate("uid => pane.focus(uid)", mentions[at]["uid"])
        page.evaluate(KEY, "clear")
        mentions = edited(mentions, at, rng)
        page.evaluate("mentions => { window.next = mentions }", mentions)
        page.wait_for_timeout(50)  # let the scrolling end
        idle = metric(cdp, "TaskDuration")
        page.evaluate(NOTHING)
        before = metric(cdp, "TaskDuration")
        took.append(page.evaluate(EDIT))
        busy.append(1000 * (metric(cdp, "TaskDuration") - 2 * before + idle))
        keys.append(page.evaluate(KEY, "extend-right"))
        jumps.append(page.evaluate(JUMP, rng.random()))
    found |= {
        f"edit to painted p50, {name}": percentile(took, 0.5),
        f"edit to painted p95, {name}": percentile(took, 0.95),
        f"main thread per edit, {name}": percentile(busy, 0.5),
        f"key to painted p95, {name}": percentile(keys, 0.95),
        f"jump scroll p50, {name}": percentile(jumps, 0.5),
        f"jump scroll p95, {name}": percentile(jumps, 0.95),
    }
    if lines:
        page.evaluate("delete window.next; events.length = 0")
        cdp.send("HeapProfiler.collectGarbage")
        found["heap"] = metric(cdp, "JSHeapUsedSize") / 1e6
        found["nodes"] = metric(cdp, "Nodes")
    return found


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=int, default=200_000, help="characters")
    parser.add_argument("--mentions", type=int, default=2_000)
    parser.add_argument("--edits", type=int, default=80)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found: dict[str, float] = {}
    with served() as address, sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for lines in (True, False):
            page = browser.new_page(viewport={"width": 1000, "height": 800})
            page.goto(address)
            page.locator("body[data-ready]").wait_for()
            cdp = page.context.new_cdp_session(page)
            cdp.send("Performance.enable")
            sizes = (options.size, options.mentions, options.edits)
            found |= measured(page, cdp, *sizes, lines)
            page.close()
        version = browser.version
        browser.close()
    files = [*STATIC.rglob("*.js"), *STATIC.rglob("*.css")]
    found["JS and CSS"] = sum(path.stat().st_size for path in files) / 1e3
    if options.json:
        print(json.dumps({"chromium": version, **found}, indent=2))
        return
    print(f"{options.size:,} characters, {options.mentions:,} mentions, Chromium {version}")
    print(f"{'':34}{'measured':>10}{'budget':>10}")
    for name, (unit, most) in BUDGETS.items():
        value = f"{found[name]:,.0f}" if found[name] >= 100 else f"{found[name]:.1f}"
        over = "" if found[name] <= most else "  over"
        print(f"{name:34}{value:>10}{most:>10,} {unit}{over}")


if __name__ == "__main__":
    main()
