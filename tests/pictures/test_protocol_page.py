"""The protocol: one page that loads nothing, prints in black on white and quotes safely."""

from __future__ import annotations

from html.parser import HTMLParser

from lacuna.pictures.protocol_page import Commands, Section, Table, protocol_page

BAD = "<b onclick='x'>&\"</b>"


class Read(HTMLParser):
    """Collects tags and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_everything_is_there_and_quoted() -> None:
    table = Table(("label", "F1"), [(BAD, "0.9"), ("DATE", "1.0")])
    content: list[str | Table | Commands] = [BAD, table, Commands((f"lacuna {BAD}", "second"))]
    page = protocol_page(BAD, BAD, BAD, [Section(BAD, content), Section("empty", [])])
    read = Read()
    read.feed(page)
    assert "b" not in read.tags
    assert "script" not in read.tags
    assert read.texts.count(BAD) == 7  # title, heading, subtitle, lead, section, sentence, cell
    assert [text for text in read.texts if text.startswith("lacuna ")] == [f"lacuna {BAD}\nsecond"]
    assert read.tags.count("tr") == 3
    assert not {name for name, _ in read.attributes} & {"src", "href", "onclick"}


def test_it_is_light_and_says_when_something_is_wrong() -> None:
    assert "color-scheme: light }" in protocol_page("t", "s", "l", [])
    assert 'class="lead warning"' in protocol_page("t", "s", "l", [], warning=True)
    assert 'class="lead"' in protocol_page("t", "s", "l", [])


def test_a_table_without_rows_is_left_out() -> None:
    page = protocol_page("t", "s", "l", [Section("x", [Table(("a", "b"), [])])])
    assert "<table>" not in page
