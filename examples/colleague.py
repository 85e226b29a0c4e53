"""A colleague who knows the answers: reviews notes in a running ``lacuna serve``.

::

    python examples/colleague.py LINK answers.jsonl --part learn --most 100

`LINK` is the link that ``lacuna serve`` prints, `answers.jsonl` the notes of a project with all
mentions. Notes of one part that nobody has touched are reviewed. It shows how a program uses the
API, and needs nothing but Python. See docs/tutorial.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen


class Server:
    """The API of a review server, by the link that opens its page."""

    def __init__(self, link: str) -> None:
        self._origin, _, self._token = link.partition("/#k=")

    def ask(self, method: str, path: str, content: Any = None, **headers: str) -> Any:
        """Return the answer to a request."""
        body = None if content is None else json.dumps(content).encode()
        headers |= {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        request = Request(f"{self._origin}/api{path}", body, headers, method=method)
        with urlopen(request) as answer:
            return json.load(answer)

    def waiting(self) -> Iterator[dict[str, Any]]:
        """Yield the documents that nobody has touched."""
        after: int | None = 0
        while after is not None:
            page = self.ask("GET", f"/documents?state=new&after={after}")
            yield from page["documents"]
            after = page["next"]

    def review(self, row: dict[str, Any], mentions: list[dict[str, Any]]) -> None:
        """Mark the mentions of a document and say that it is done, in one edit."""
        operations = [
            {"op": "add", "uid": f"colleague-{at}", "label": one["label"], "spans": one["spans"]}
            for at, one in enumerate(mentions)
        ]
        edit = {
            "request": f"colleague-{row['key']}",
            "operations": [*operations, {"op": "state", "state": "done"}],
        }
        version = {"If-Match": f'"{row["version"]}"'}
        self.ask("PATCH", f"/documents/{row['key']}/mentions", edit, **version)


def main() -> None:
    """Review, and print how many notes."""
    parser = argparse.ArgumentParser(description="Review notes whose answers are known.")
    parser.add_argument("link")
    parser.add_argument("answers", type=Path)
    parser.add_argument("--part", choices=["learn", "gate", "seal"], required=True)
    parser.add_argument("--most", type=int, help="Maximum number of notes.")
    parser.add_argument("--leave", type=int, default=0, help="Leave so many notes to others.")
    asked = parser.parse_args()
    lines = map(json.loads, asked.answers.read_text("utf-8").splitlines())
    answers = {one["id"]: one["mentions"] for one in lines}
    server = Server(asked.link)
    waiting = [row for row in server.waiting() if row["part"] == asked.part]
    chosen = waiting[: len(waiting) - asked.leave][: asked.most]
    for row in chosen:
        server.review(row, answers[row["id"]])
    patients = len({row["group"] for row in chosen})
    print(f"{len(chosen)} notes of {patients} patients reviewed")
    for row in waiting[len(waiting) - asked.leave :]:
        print(f"left to you: {row['id']}")


if __name__ == "__main__":
    main()
