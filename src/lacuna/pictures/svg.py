"""Plain SVG: no style sheet, no script; a white panel, to be readable on any background."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

INK, PALE, PANEL = "#24292f", "#6b7280", "#ffffff"
#: Safe for colour-blind readers (after Okabe and Ito 2008, without yellow).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#a6761d", "#3d9bd1", "#c08a00", "#5e4fa2")


def picture(body: str, *, width: float, height: float, title: str) -> str:
    """Return a whole SVG file; `title` is read out by screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img"'
        ' font-family="system-ui, Helvetica, Arial, sans-serif" font-size="13">\n'
        f"<title>{clean(title)}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{PANEL}"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """Return one line of text; underscores in attribute names become dashes."""
    given = {"fill": INK} | attributes
    listed = "".join(
        f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in given.items()
    )
    return f'<text x="{x:.1f}" y="{y:.1f}"{listed}>{clean(words)}</text>'


def clean(words: str) -> str:
    """Escape text; characters that XML does not allow become U+FFFD."""
    return escape("".join(c if _in_xml(c) else "\ufffd" for c in words))


def _in_xml(character: str) -> bool:
    code = ord(character)
    return code >= 32 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)


def width_of(words: str, size: float = 13) -> float:
    """Estimate the width of a text; characters of wide scripts count as squares."""
    return sum(size * (0.62 if ord(c) < 0x1100 else 1.0) for c in words)


def shortened(words: str, most: int) -> str:
    """Return the text cut to at most `most` characters."""
    return words if len(words) <= most else words[: most - 1] + "…"
