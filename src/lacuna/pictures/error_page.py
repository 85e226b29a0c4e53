"""Errors in context: one HTML page that loads nothing from elsewhere and runs no script.

The numbers of the tables are links. Each leads to a line that says what is shown, and while it is
the target of the address, style rules hide all other errors. So the page needs no script.

The page quotes the documents: only those who may read them should see it.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import pairwise
from typing import NamedTuple

from lacuna.evaluation.mention_errors import ErrorCollector, ErrorKind, MentionError
from lacuna.text.document import Mention
from lacuna.text.plurals import counted

CONTEXT = 60  #: characters shown before and after an error
OPEN_LABELS = 12  #: with more labels, the confusion matrix is folded at first


def error_page(found: ErrorCollector, *, title: str = "", advice: str = "") -> str:
    """Return the page.

    Parameters
    ----------
    found
        The errors.
    title
        What the heading begins with.
    advice
        A sentence about what is shown.
    """
    page = _ErrorPage(found)
    tables = page.kinds() + page.confusion()
    total = counted(len(found.errors), "error")
    return _PAGE.format(
        title=escape(f"{title}: {total}" if title else total),
        advice=escape(advice),
        tables=tables,
        rules="\n".join(page.rules()),
        filters="".join(page.lines()),
        rows="".join(map(page.row, found.errors)),
    )


class _Filter(NamedTuple):
    """Classes that the rows to show have, and the filter in words."""

    classes: str
    words: str
    size: int


class _ErrorPage:
    """Builds the parts of a page; labels are numbered, because they may be any text."""

    def __init__(self, found: ErrorCollector) -> None:
        self._errors, self._confusion = found.errors, found.confusion
        labels = {label for pair in found.confusion for label in pair if label is not None}
        labels |= {error.label for error in found.errors}
        self._number = {label: str(i) for i, label in enumerate(sorted(labels))}
        self._filters: dict[str, _Filter] = {}
        self._sizes: Counter[str] = Counter()  # number of listed errors by their classes
        for error in found.errors:
            kind, label, pair = self._classes(error)
            self._sizes.update((kind, label, f"{label}.{kind}", pair))
        self._kinds = [kind for kind in ErrorKind if self._sizes[_short(kind)]]

    def kinds(self) -> str:
        """Return the table of errors by label and kind."""
        labels = Counter(error.label for error in self._errors)
        head = "".join(
            f"<th class='n {_short(kind)}'>{self._link(_short(kind), kind, kind)}</th>"
            for kind in self._kinds
        )
        body = "".join(map(self._label_row, dict(labels.most_common())))
        if not body:
            return ""
        table = f"<table><tr><th>label</th>{head}<th class=n>all</th></tr>{body}</table>"
        return f"<h2>Errors by label</h2>{table}"

    def _label_row(self, label: str) -> str:
        of_label = f"l{self._number[label]}"
        cells = [(f"{of_label}.{_short(kind)}", f"{label}, {kind}") for kind in self._kinds]
        numbers = "".join(
            f"<td class=n>{self._link(classes, words, self._sizes[classes])}</td>"
            for classes, words in [*cells, (of_label, label)]
        )
        return f"<tr><th>{escape(label)}</th>{numbers}</tr>"

    def confusion(self) -> str:
        """Return the table of gold labels by predicted labels."""
        if not self._confusion:
            return ""
        gold = [label for label in self._number if any(g == label for g, _ in self._confusion)]
        made = [label for label in self._number if any(p == label for _, p in self._confusion)]
        head = "".join(f"<th><span>{escape(label)}</span></th>" for label in made)
        is_open = " open" if len(made) <= OPEN_LABELS else ""
        rows = "".join(
            f"<tr><th>{'spurious' if label is None else escape(label)}</th>"
            + "".join(self._pair_cell(label, other) for other in [*made, None])
            + "</tr>"
            for label in [*gold, None]
        )
        return (
            f"<details{is_open}><summary>Confusion matrix</summary><p class=small>Rows: gold"
            " labels; columns: predicted labels, whatever the boundaries.</p><div class=wide>"
            f"<table class=matrix><tr><th></th>{head}<th class=missed><span>missed</span></th></tr>"
            f"{rows}</table></div></details>"
        )

    def _pair_cell(self, gold: str | None, predicted: str | None) -> str:
        words = f"gold {gold or 'nothing'}, predicted {predicted or 'nothing'}"
        number = self._link(self._pair(gold, predicted), words, self._confusion[gold, predicted])
        return f"<td class='n{' right' if gold and gold == predicted else ''}'>{number}</td>"

    def _pair(self, gold: str | None, predicted: str | None) -> str:
        one, other = ("" if label is None else self._number[label] for label in (gold, predicted))
        return f"c{one}-{other}"

    def _link(self, classes: str, words: str, shown: str | int) -> str:
        """Return a text that filters the errors, if any of these classes is listed."""
        text = escape(shown) if isinstance(shown, str) else f"{shown:,}" if shown else ""
        size = self._sizes[classes]
        if not size:
            return text
        name = "only-" + classes.replace(".", "-")
        self._filters[name] = _Filter(classes, words, size)
        return f"<a href='#{name}'>{text}</a>"

    def rules(self) -> list[str]:
        """Return the style rules of the filters in use."""
        return [
            f"#{name}:target ~ .errors tr.{chosen.classes} {{ display: table-row }}"
            for name, chosen in self._filters.items()
        ]

    def lines(self) -> list[str]:
        """Return the lines that say what is shown."""
        return [
            f"<p class=filter id={name}>Only <b>{escape(chosen.words)}</b>:"
            f" {counted(chosen.size, 'error')}. <a href='#errors'>Show all</a></p>"
            for name, chosen in self._filters.items()
        ]

    def _classes(self, error: MentionError) -> tuple[str, str, str]:
        """Return the classes of the row of an error."""
        pair = (None if mention is None else mention.label for mention in _sides(error))
        return _short(error.kind), f"l{self._number[error.label]}", self._pair(*pair)

    def row(self, error: MentionError) -> str:
        """Return the row of an error."""
        gold, predicted = map(_named, _sides(error))
        return (
            f"<tr class='e {' '.join(self._classes(error))}'><td>{escape(error.document.id)}</td>"
            f"<td>{error.kind}</td><td>{gold}</td><td>{predicted}</td>"
            f"<td class=text>{_context(error)}</td></tr>"
        )


def _sides(error: MentionError) -> tuple[Mention | None, Mention | None]:
    return error.gold, error.predicted


def _short(kind: ErrorKind) -> str:
    return kind.split()[-1]


def _named(mention: Mention | None) -> str:
    return "" if mention is None else escape(mention.label)


def _context(error: MentionError) -> str:
    """Return the text around an error; gold is marked, the prediction underlined."""
    text = error.document.text
    mentions = error.shown
    first = max(min(m.start for m in mentions) - CONTEXT, 0)
    last = min(max(m.end for m in mentions) + CONTEXT, len(text))
    cuts = sorted({first, last} | {border for m in mentions for span in m.spans for border in span})
    pieces = []
    for start, end in pairwise(cuts):
        piece = escape(text[start:end])
        if _covers(error.predicted, start):
            piece = f"<u>{piece}</u>"
        if _covers(error.gold, start):
            piece = f"<mark>{piece}</mark>"
        pieces.append(piece)
    return ("…" if first else "") + "".join(pieces) + ("…" if last < len(text) else "")


def _covers(mention: Mention | None, place: int) -> bool:
    return mention is not None and any(s.start <= place < s.end for s in mention.spans)


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>lacuna: {title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --quiet: #6b7280; --mark: #ffe08a;
  --missed: #b3261e; --spurious: #7b1fa2; --label: #0b6bcb; --boundary: #9a6700;
  --right: #1a7f371f }}
@media (prefers-color-scheme: dark) {{ :root {{ --quiet: #9aa4b2; --mark: #6b5510;
  --missed: #ff8a80; --spurious: #d59cf0; --label: #79b8ff; --boundary: #e3b341;
  --right: #3fb95026 }} }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem }}
h1 {{ font-size: 1.5rem }} h2, summary {{ font-size: 1.1rem; font-weight: bold; margin-top: 2rem }}
summary {{ cursor: pointer }}
table {{ border-collapse: collapse; margin: .5rem 0 }} .errors {{ width: 100% }}
.wide {{ overflow-x: auto }}
th, td {{ text-align: left; padding: .25rem .7rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top }}
th {{ font-weight: 500 }} tr:first-child th, .small {{ color: var(--quiet) }}
.small {{ font-size: .9em; margin: 0 }} a {{ color: inherit }}
.n {{ text-align: right; font-variant-numeric: tabular-nums; min-width: 3rem }}
.text {{ white-space: pre-wrap; overflow-wrap: anywhere; width: 60% }}
.right {{ background: var(--right) }}
.matrix td, .matrix th {{ padding: .25rem .5rem; min-width: 2rem }}
.matrix tr:first-child th {{ vertical-align: bottom; text-align: right }}
.matrix span {{ writing-mode: vertical-rl; transform: rotate(180deg) }}
.matrix tr > :first-child {{ position: sticky; left: 0; background: Canvas }}
mark {{ background: var(--mark); color: inherit }}
u {{ text-decoration: underline 2px var(--spurious); text-underline-offset: 3px }}
tr:first-child .missed, .missed td:nth-child(2) {{ color: var(--missed) }}
tr:first-child .spurious, .spurious td:nth-child(2) {{ color: var(--spurious) }}
tr:first-child .label, .label td:nth-child(2) {{ color: var(--label) }}
tr:first-child .boundary, .boundary td:nth-child(2) {{ color: var(--boundary) }}
.e td:nth-child(2) {{ white-space: nowrap }}
.filter {{ display: none; scroll-margin-top: 3rem }} .filter:target {{ display: block }}
.filter:target ~ .errors tr.e {{ display: none }}
{rules}
</style>
<h1>{title}</h1>
<p>{advice} <mark>Gold mentions</mark> are highlighted, <u>predicted mentions</u> are underlined.
Click a number to see only these errors. This page quotes the documents: protect it as you protect
them.</p>
{tables}
<h2 id="errors">Errors in context</h2>
{filters}
<table class="errors">
<tr><th>document</th><th>error</th><th>gold</th><th>predicted</th><th>text</th></tr>
{rows}</table>
</html>
"""
