"""Label maps: renaming, dropping, categories, and errors that name file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.errors import ConfigError
from lacuna.io.label_map import BUNDLED, LabelMap, bundled_categories, read_label_map
from lacuna.text.document import Document, Mention

TOML = """
NOMBRE = "PATIENT"
"OTROS SUJETO" = ""

[categories]
PATIENT = "NAME"
"""


def test_reading_and_applying(tmp_path: Path) -> None:
    path = tmp_path / "labels.toml"
    path.write_text(TOML)
    label_map = read_label_map(path)
    assert label_map == LabelMap({"NOMBRE": "PATIENT", "OTROS SUJETO": ""}, {"PATIENT": "NAME"})
    document = Document(
        "d",
        "abcdef",
        (
            Mention.of("NOMBRE", (0, 1), probability=0.5),
            Mention.of("OTROS SUJETO", (1, 2)),
            Mention.of("KEPT", (2, 3)),
        ),
    )
    assert label_map.apply(document).mentions == (
        Mention.of("PATIENT", (0, 1), probability=0.5),
        Mention.of("KEPT", (2, 3)),
    )
    assert (label_map.category("PATIENT"), label_map.category("KEPT")) == ("NAME", "KEPT")


def test_an_empty_map_changes_nothing() -> None:
    document = Document("d", "abc", (Mention.of("A", (0, 1)), Mention.of("A", (0, 1))))
    assert LabelMap().apply(document) == document


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("A = 1", "labels.toml: A: expected a string in quotes"),
        ("[other]\nA = 'x'", "labels.toml: other: expected a string in quotes"),
        ("[categories]\nA = 1", "labels.toml: categories.A: expected a string in quotes"),
        ("[categories]\nA = ''", "labels.toml: categories.A: a category needs a name"),
        ("categories = 'x'", "labels.toml: categories must be a table"),
        ("A = \nB = 'x'", "labels.toml: not valid TOML: .*line 1"),
        ("A = 'x'\nA = 'y'\n", "labels.toml: not valid TOML: .*line 2"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "labels.toml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=reason):
        read_label_map(path)


def test_a_missing_map_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.toml: cannot be read"):
        read_label_map(tmp_path / "none.toml")


def test_categories_of_well_known_label_sets() -> None:
    assert bundled_categories("i2b2-2014")["LOCATION-OTHER"] == "LOCATION"
    assert bundled_categories("meddocan")["NOMBRE_SUJETO_ASISTENCIA"] == "NAME"
    large = [set(bundled_categories(name).values()) for name in BUNDLED]
    assert large[0] < large[1]
    assert large[1] - large[0] == {"OTHER"}
