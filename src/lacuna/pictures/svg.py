"""Pictures as plain SVG text: no style sheet, no script, a light panel on any background."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

INK, PALE, PANEL = "#24292f", "#6b7280", "#ffffff"
#: Told apart also by those who do not see all colours (Okabe and Ito 2008), without the yellow.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508c", "#a6761d", "#3d9bd1", "#c08a00", "#5e4fa2")


def picture(body: str, *, width: float, height: float, title: str) -> str:
    """Return a whole SVG file; `title` is what screen readers say."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img"'
        ' font-family="system-ui, Helvetica, Arial, sans-serif" font-size="13">\n'
        f"<title>{clean(title)}</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{PANEL}"/>\n{body}\n</svg>\n'
    )


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """Return one line of text; underscores in names of attributes become dashes."""
    given = {"fill": INK} | attributes
    listed = "".join(
        f" {name.replace('_', '-')}={quoteattr(str(value))}" for name, value in given.items()
    )
    return f'<text x="{x:.1f}" y="{y:.1f}"{listed}>{clean(words)}</text>'


def clean(words: str) -> str:
    """Escape text; characters that XML does not have become U+FFFD."""
    return escape("".join(c if _in_xml(c) else "\ufffd" for c in words))


def _in_xml(character: str) -> bool:
    code = ord(character)
    return code >= 32 and not 0xD800 <= code <= 0xDFFF and code not in (0xFFFE, 0xFFFF)


def width_of(words: str, size: float = 13) -> float:
    """Guess how wide a text is; wide scripts take a whole square for each character."""
    return sum(size * (0.62 if ord(c) < 0x1100 else 1.0) for c in words)


def shortened(words: str, most: int) -> str:
    """Return at most so many characters."""
    return words if len(words) <= most else words[: most - 1] + "…"
