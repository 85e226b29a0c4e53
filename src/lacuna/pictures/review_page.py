"""Documents before and after, side by side: one web page that loads nothing from elsewhere.

The page quotes the originals: only those who may read them should see it. It is written piece by
piece, so that all its documents need not be in memory. Browsers render what is on the screen.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import NamedTuple

from lacuna.deid.before_after import BeforeAfter, Doubtful
from lacuna.deid.findings import Finding, Origin
from lacuna.pictures.review_page_parts import CONTROLS, SCRIPT, STYLE
from lacuna.text.plurals import counted

_GOLDEN_ANGLE = 137.508  #: degrees between the hues of labels: the commonest differ most
SOURCES = {
    Origin.ALWAYS: "always term",
    Origin.KNOWN: "known value",
    Origin.PATTERN: "pattern",
    Origin.MODEL: "model",
    Origin.LIST: "word list",
    Origin.AGAIN: "second look",
}
#: Control characters that a browser would drop or obey become pictures of themselves.
_PICTURES = {c: 0x2400 + c for c in range(32) if chr(c) not in "\t\n\r"} | {0x7F: 0x2421}


def review_page(
    documents: Iterable[tuple[int, BeforeAfter]],
    shown: int,
    total: int,
    failed: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the pieces of the page.

    Parameters
    ----------
    documents
        With their numbers in the input; those to look at first come first.
    shown, total
        How many documents are on the page, and how many there are.
    failed
        Documents that failed, with the reasons.
    """
    colours = _Colours()
    entries = []
    yield _head(shown, total)
    for number, document in documents:
        yield _section(number, document, colours)
        entries.append(_entry(number, document))
    yield f"{_failed(failed)}</main><nav>{colours.legend()}<ol>{''.join(entries)}</ol></nav>"
    yield f"<style>{colours.style()}</style><script>{SCRIPT}</script></body></html>\n"


def _head(shown: int, total: int) -> str:
    script = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}';"
        " base-uri 'none'; form-action 'none'"
    )
    some = ""
    if shown < total:
        some = f", {shown:,} of them here: those that the model is least sure of"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>lacuna: review</title><style>{STYLE}</style></head><body>"
        f"<header><div><h1>Review</h1><p>{counted(total, 'document')}{some}."
        " <b>This page shows the originals: protect it as you protect them.</b></p></div>"
        f"{CONTROLS}</header><main>"
    )


def _section(number: int, document: BeforeAfter, colours: _Colours) -> str:
    rows = "".join(f"<p>{before}</p><p>{after}</p>" for before, after in _rows(document, colours))
    return (
        f'<section id="d{number}" tabindex="-1"><h2>{_shown(document.id)}</h2>'
        f"<div class=about>{_about(document)}</div>"
        f"<div class=pair><h3>before</h3><h3>after</h3>{rows}</div></section>\n"
    )


def _about(document: BeforeAfter) -> str:
    place = document.place
    parts = [
        f"output {_shown(place.output)}" if place.output else "",
        "" if place.row is None else f"row {place.row:,}",
        f"new id {_shown(place.id)}" if place.id else "",
        f"patient {_shown(document.group)}" if document.group is not None else "",
        f"{len(document.plan):,} replaced",
        counted(document.doubts, "doubtful word"),
        f"{document.expected_missed:.2f} identifier tokens expected to remain",
    ]
    return " · ".join(part for part in parts if part)


def _entry(number: int, document: BeforeAfter) -> str:
    doubts = document.doubts
    badge = f" <b>{doubts:,}</b>" if doubts else ""
    return (
        f'<li data-number="{number}" data-doubts="{doubts}">'
        f'<a href="#d{number}">{_shown(document.id)}</a>{badge}</li>'
    )


def _failed(failed: Sequence[str]) -> str:
    if not failed:
        return ""
    rows = "".join(f"<li>{_shown(failure)}</li>" for failure in failed)
    return f"<div class=failed><h2>Failed and not written</h2><ul>{rows}</ul></div>"


class _Mark(NamedTuple):
    """A stretch of the original that is marked, before and after."""

    start: int
    end: int
    before: str
    after: str


def _rows(document: BeforeAfter, colours: _Colours) -> Iterator[tuple[str, str]]:
    """Yield the lines before and after; a line break inside an identifier does not end one."""
    before, after = "", ""
    done, end = 0, len(document.text)
    for mark in (*_marks(document, colours), _Mark(end, end, "", "")):
        first, *others = map(_shown, document.text[done : mark.start].split("\n"))
        before, after = before + first, after + first
        for line in others:
            yield before, after
            before = after = line
        before, after = before + mark.before, after + mark.after
        done = mark.end
    if before or after:
        yield before, after


def _marks(document: BeforeAfter, colours: _Colours) -> list[_Mark]:
    """Return what is marked, in text order: replaced, kept, and doubtful words outside both."""
    marks = [
        _replaced(document, finding, new, colours)
        for finding, new in zip(document.plan, document.instead, strict=True)
    ]
    taken = bytearray(len(document.text))
    for mark in marks:
        taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
    for mark in (
        *(_kept(document, finding, colours) for finding in document.kept),
        *(_doubtful(document, word) for word in document.doubtful),
    ):
        if not any(taken[mark.start : mark.end]):
            marks.append(mark)
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
    return sorted(marks)


def _replaced(document: BeforeAfter, finding: Finding, new: str, colours: _Colours) -> _Mark:
    original = document.text[finding.start : finding.end]
    style, told = colours.style_of(finding.label), _told(finding)
    doubt = " q" if document.is_doubtful(finding) else ""
    return _Mark(
        finding.start,
        finding.end,
        f'<mark class="{style}{doubt}" title="{told}">{_shown(original)}</mark>',
        f'<mark class="{style}" title="{told}">{_shown(new)}</mark>' if new else "",
    )


def _kept(document: BeforeAfter, finding: Finding, colours: _Colours) -> _Mark:
    opening = (
        f'<mark class="{colours.style_of(finding.label)} kept" title="{_told(finding)}, kept">'
    )
    content = f"{opening}{_shown(document.text[finding.start : finding.end])}</mark>"
    return _Mark(finding.start, finding.end, content, content)


def _doubtful(document: BeforeAfter, word: Doubtful) -> _Mark:
    content = _shown(document.text[word.start : word.end])
    told = f'title="stays, P(identifier) {word.probability:.2f}"'
    return _Mark(
        word.start, word.end, f'<u class="q" {told}>{content}</u>', f"<u {told}>{content}</u>"
    )


def _told(finding: Finding) -> str:
    sure = f" {finding.probability:.2f}" if finding.origin is Origin.MODEL else ""
    return escape(f"{finding.label}, {SOURCES[finding.origin]}{sure}")


def _shown(text: str) -> str:
    return escape(text.translate(_PICTURES))


class _Colours:
    """A colour for each label, and how often it occurs."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._numbers: dict[str, int] = {}

    def style_of(self, label: str) -> str:
        """Return the class of a label, and count it."""
        self._counts[label] += 1
        return f"l{self._numbers.setdefault(label, len(self._numbers))}"

    def legend(self) -> str:
        """Return the labels in their colours, the commonest first."""
        marks = "".join(
            f'<li><mark class="l{self._numbers[label]}">{_shown(label)}</mark> {count:,}</li>'
            for label, count in self._counts.most_common()
        )
        return f'<details open><summary>labels</summary><ul class="legend">{marks}</ul></details>'

    def style(self) -> str:
        """Return the hues of the labels, and their names for those who want to read them."""
        rules = []
        for rank, (label, _) in enumerate(self._counts.most_common()):
            hue = (210 + rank * _GOLDEN_ANGLE) % 360
            rules.append(f".l{self._numbers[label]}{{--h:{hue:.0f};--l:{_css_string(label)}}}")
        return "".join(rules)


def _css_string(text: str) -> str:
    """Return a text as a string of a style sheet, from which nothing can break out."""
    return '"' + "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):x} " for c in text) + '"'
