"""The report as one self-contained web page: no scripts, no fonts, links only to the outputs.

A page that is read elsewhere than beside the outputs has no links. Documents without a crosswalk
(``"crosswalk": false``) have ids of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import log10
from typing import Any
from urllib.parse import quote

from msgspec import convert

from lacuna.deid.audits import AUDITS, Audit, audit_section
from lacuna.deid.promises import in_words
from lacuna.text.plurals import counted

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --a: #3b6ea5; --b: #c98b3c; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { padding: .2rem .9rem .2rem 0; text-align: left;
  border-bottom: 1px solid var(--line); vertical-align: top; } td.n, th.n { text-align: right;
  font-variant-numeric: tabular-nums; } code { font-size: .85em; overflow-wrap: anywhere; }
svg text { fill: currentColor; font: 11px system-ui, sans-serif; } .a { fill: var(--a); }
.b { fill: var(--b); } .axis { stroke: currentColor; opacity: .4; }
.bad { color: light-dark(#b3261e, #ff8a80); } p.small { font-size: .9em; opacity: .8; }
"""
_NAMES = {
    "taken_over": "files finished by an earlier run",
    "promised": "promised miss rate",
    "groups": "patients",
    "rename": "names and ids",
    "on_bad_bytes": "invalid bytes",
    "align": "alignment",
    "lists": "lists of your own",
    "lacuna": "version of lacuna",
}
_WIDTH, _HEIGHT, _BOTTOM = 640, 150, 20


def page(report: Mapping[str, Any], *, links: bool = True) -> str:
    """Return the page for the values of ``report.json``, with or without links to the outputs."""
    parts = [
        _summary(report),
        _section("Audit", audit_section(convert(report.get(AUDITS, []), list[Audit]))),
        _section("Replaced, by label", _labels(report)),
        _section("Probabilities of the model", _histogram(report["probability_histogram"])),
        _section("Documents to look at first", _review(report, links)),
        _section("Documents in another language", _foreign(report, links)),
        _section("Documents that failed", _failures(report)),
        _section("Settings of the run", _details(report)),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>De-identification report</title><style>{_STYLE}</style></head><body>"
        f"{''.join(parts)}</body></html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<h2>{title}</h2>{content}" if content else ""


def _summary(report: Mapping[str, Any]) -> str:
    replaced = sum(report["replaced"].values())
    failed = report["failed"]
    bad = f' <b class="bad">{failed:,} failed and not written.</b>' if failed else ""
    calibrated = ""
    if report["calibrated"] is not None:
        expected, missed = report["calibrated"]
        calibrated = f" In the calibration it expected {expected:.1%}; {missed:.1%} were missed."
    promise = "".join(f'<p class="bad">Warning: {escape(w)}.</p>' for w in report["warnings"])
    if report["promised"] is not None:
        promise += f"<p>Promise: {in_words(report['promised'], report['confidence'])}.</p>"
    placeholders = ""
    if report["placeholders"]:
        were = counted(report["placeholders"], "placeholder")
        placeholders = (
            f"<p>The originals contain {were} such as [NAME-1]; in the output they have numbers of"
            " their own.</p>"
        )
    protected = ""
    if report["protected_words_left"]:
        were = counted(
            report["protected_words_left"], "everyday word that is", "everyday words that are"
        )
        protected = (
            f"<p>Left unchanged: {were} part of a name found here but not written like a name."
            " The owner has the list.</p>"
        )
    remarks = report["remarks"]
    return (
        "<h1>De-identification report</h1>"
        f"<p>{counted(report['documents'], 'document')}, {counted(report['tokens'], 'token')},"
        f" {counted(replaced, 'identifier')} replaced.{bad} As far as the model can tell,"
        f" {report['expected_missed_tokens']:,.1f} identifier tokens"
        f" ({report['expected_missed_share']:.1%}) remain.{calibrated}</p>"
        f"{promise}{placeholders}{protected}"
        f"{''.join(f'<p>{escape(remark)}.</p>' for remark in remarks)}"
    )


def _labels(report: Mapping[str, Any]) -> str:
    by_default = report["replaced_by_default_action"]
    rows = sorted(report["replaced"].items(), key=lambda entry: -entry[1])
    return _table(
        ("label", "replaced", "by the default action"),
        [(name, f"{count:,}", f"{by_default.get(name, 0):,}") for name, count in rows],
    )


def _histogram(histogram: Mapping[str, Sequence[float]]) -> str:
    """Draw tokens by P(identifier): bars of log₁₀(1 + count), replaced next to left."""
    bins = len(histogram["replaced"])
    tallest = max([1.0, *(log10(1 + n) for n in (*histogram["replaced"], *histogram["left"]))])
    step, scale = _WIDTH / bins, (_HEIGHT - 10) / tallest
    bars = []
    for place in range(bins):
        for offset, name, style in ((0.08, "left", "b"), (0.5, "replaced", "a")):
            count = histogram[name][place]
            height = log10(1 + count) * scale
            bars.append(
                f'<rect class="{style}" x="{(place + offset) * step:.1f}"'
                f' y="{_HEIGHT - height:.1f}" width="{0.42 * step:.1f}" height="{height:.1f}">'
                f"<title>{count:,} tokens {name}</title></rect>"
            )
    marks = "".join(
        f'<text x="{share * _WIDTH:.0f}" y="{_HEIGHT + 14}" text-anchor="{anchor}">{share:g}</text>'
        for share, anchor in (
            (0, "start"),
            (0.25, "middle"),
            (0.5, "middle"),
            (0.75, "middle"),
            (1, "end"),
        )
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _BOTTOM}" role="img" width="100%"'
        ' aria-label="Tokens by the probability of being an identifier">'
        f"{''.join(bars)}"
        f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>{marks}</svg>'
        '<p class="small">Tokens by P(identifier), counts on a logarithmic scale.'
        ' <span style="color:var(--a)">■</span> replaced'
        ' <span style="color:var(--b)">■</span> left unchanged.'
        " Patterns and lists replace tokens whatever their probability.</p>"
    )


def _review(report: Mapping[str, Any], links: bool) -> str:
    rows = [
        (
            *_place(entry, links),
            f"{entry['expected_missed']:.2f}",
            f"{entry['tokens']:,}",
            f"{entry['replaced']:,}",
        )
        for entry in report["review"]
    ]
    header = ("document", _ids(report), "expected missed tokens", "tokens", "replaced")
    return _table(header, rows, raw=True, text=(1,))


def _foreign(report: Mapping[str, Any], links: bool) -> str:
    rows = [_place(entry, links) for entry in report["foreign_documents"]]
    return _table(("document", _ids(report)), rows, raw=True, text=(1,))


def _ids(report: Mapping[str, Any]) -> str:
    return "id in the crosswalk" if report.get("crosswalk", True) else "id"


def _place(entry: Mapping[str, Any], links: bool) -> tuple[str, str]:
    """Return where a document is, with a link if wanted, and its id in the crosswalk."""
    output = entry["output"]
    link = escape(output)
    if output and links:
        link = f'<a href="./{escape(quote(output))}">{link}</a>'
    row = "" if entry["row"] is None else f", row {entry['row']:,}"
    id_ = f" (id {escape(entry['id'])})" if entry["id"] else ""
    return f"{link}{row}{id_}", f"<code>{escape(entry['document'])}</code>"


def _failures(report: Mapping[str, Any]) -> str:
    rows = [
        (
            f"<code>{escape(entry['document'])}</code>",
            f"{entry['file']:,}",
            "" if entry["row"] is None else f"{entry['row']:,}",
            escape(entry["reason"]),
        )
        for entry in report["failures"]
    ]
    return _table(("document", "file", "row", "reason"), rows, raw=True, text=(3,))


def _details(report: Mapping[str, Any]) -> str:
    """Return the settings by name; what was not set, or did not happen, is left out."""
    names = ("policy", "threshold", "promised", "confidence", "consistency", "locale")
    chosen = {name: report[name] for name in names} | report["settings"]
    facts = {
        name: report[name]
        for name in ("model", "lacuna", "files", "taken_over", "seconds", "tokens_per_second")
    }
    rows = [
        (_NAMES.get(name, name.replace("_", " ")), _shown(value))
        for name, value in (chosen | facts).items()
        if value is not None and (name != "taken_over" or value)
    ]
    rows += [(f"skipped: {what}", f"{n:,}") for what, n in report["left_aside"].items()]
    return _table(("setting", "value"), rows, text=(1,))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4g}" if isinstance(value, float) else str(value)


def _table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    raw: bool = False,
    text: Sequence[int] = (),
) -> str:
    """Return a table; the first column and those in `text` are words, the others numbers."""

    def cell(tag: str, place: int, content: str) -> str:
        kind = "" if place == 0 or place in text else ' class="n"'
        return f"<{tag}{kind}>{content}</{tag}>"

    def line(tag: str, cells: Sequence[str]) -> str:
        return f"<tr>{''.join(cell(tag, i, c) for i, c in enumerate(cells))}</tr>"

    body = [line("td", row if raw else [escape(c) for c in row]) for row in rows]
    return f"<table>{line('th', header)}{''.join(body)}</table>" if body else ""
