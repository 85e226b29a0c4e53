"""The table of keys in ``docs/review.md``, made from the table that the page uses.

``python -m tests.web.key_table`` writes it; a test fails if it is out of date.
"""

from __future__ import annotations

import re
from pathlib import Path

import lacuna

KEYS = Path(lacuna.__file__).parent / "web" / "static" / "js" / "keys.js"
PAGE = Path(__file__).parents[2] / "docs" / "review.md"
BEGIN, END = "<!-- keys: python -m tests.web.key_table -->", "<!-- end of keys -->"
ENTRY = re.compile(r"^  \['([a-z-]+)', '(.+?)', '(.+)'\],$", re.MULTILINE)
LABELS = (("1 … 9, 0", "Labels 1 to 10"), ("Shift+1 … Shift+0", "Labels 11 to 20"))
SHOWN = {
    **{"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓"},
    **{"Comma": ",", "Period": ".", "Escape": "Esc"},
}


def shown(key: str) -> str:
    """Return a key as the page writes it: ``Shift+A``, ``←``."""
    if key == "+":
        return key
    *held, last = key.split("+")
    last = SHOWN.get(last, last)
    return "+".join([*held, last.upper() if held and len(last) == 1 else last])


def rows() -> list[tuple[str, str]]:
    """Return keys and what they do, in the order of the page; the digits are two rows."""
    source = KEYS.read_text("utf-8")
    found: list[tuple[str, str]] = []
    for action, keys, says in ENTRY.findall(source):
        if action == "find-label":
            found += LABELS
        found.append((" or ".join(f"`{shown(name)}`" for name in keys.split()), says))
    return found


def table() -> str:
    """Return the table as Markdown."""
    lines = ["| key | does |", "|---|---|"]
    lines += [f"| {keys} | {says} |" for keys, says in rows()]
    return "\n".join(lines)


def replaced(page: str) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(replaced(PAGE.read_text("utf-8")), "utf-8")
