"""A protocol as one web page to print: headings, sentences, tables; no scripts, no colours.

It loads nothing from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """
:root { color-scheme: light }
body { font: 11pt/1.5 Georgia, "Times New Roman", serif; color: #111; background: #fff;
  max-width: 46rem; margin: 2.5rem auto; padding: 0 1.5rem }
h1 { font-size: 1.6rem; margin-bottom: .2rem } h2 { font-size: 1.15rem; margin-top: 2rem;
  border-bottom: 1px solid #999; break-after: avoid }
p { margin: .5rem 0 } p.lead { border-left: 4px solid #111; padding-left: .9rem }
p.lead.warning { border-left: 4px double #b3261e }
table { border-collapse: collapse; margin: .7rem 0; width: 100%; break-inside: avoid }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ccc;
  vertical-align: top; overflow-wrap: anywhere }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal }
pre { font: 9.5pt/1.5 ui-monospace, monospace; background: #f4f4f4; padding: .6rem .8rem;
  white-space: pre-wrap; overflow-wrap: anywhere }
@page { margin: 18mm } @media print { body { margin: 0; max-width: none; padding: 0 }
  pre { border: 1px solid #ccc } }
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; columns from `numbers` on are numbers."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: int = 1


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to type."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and what is below it: sentences, tables, commands."""

    title: str
    content: Sequence[str | Table | Commands]


def protocol_page(
    title: str, subtitle: str, lead: str, sections: Sequence[Section], *, warning: bool = False
) -> str:
    """Return the page.

    Parameters
    ----------
    title, subtitle
        What it is about; when and where.
    lead
        The one paragraph that everybody reads.
    sections
        The rest.
    warning
        Whether the first paragraph says that something is not as it should be.
    """
    kind = "lead warning" if warning else "lead"
    body = "".join(
        f"<section><h2>{escape(one.title)}</h2>{''.join(map(_part, one.content))}</section>"
        for one in sections
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy"'
        " content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><p>{escape(subtitle)}</p></header>"
        f'<p class="{kind}">{escape(lead)}</p>{body}</body></html>\n'
    )


def _part(part: str | Table | Commands) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, Commands):
        return f"<pre>{escape(chr(10).join(part.lines))}</pre>"
    return _table(part) if part.rows else ""


def _table(table: Table) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        kinds = ["" if place < table.numbers else ' class="n"' for place in range(len(cells))]
        content = (
            f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
        )
        return f"<tr>{''.join(content)}</tr>"

    body = "".join(line("td", row) for row in table.rows)
    head = line("th", table.header)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
