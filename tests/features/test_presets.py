"""Presets and template files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lacuna.errors import ConfigError
from lacuna.features.plan import make_plan
from lacuna.features.presets import PRESETS, load_templates
from lacuna.features.templates import parse_templates


@pytest.mark.parametrize("name", PRESETS)
def test_presets_need_nothing_from_outside(name: str) -> None:
    plan = make_plan(load_templates(name))
    assert len(plan.templates) > 30
    assert not any("." in attribute for attribute in plan.word_attributes + plan.token_attributes)


def test_clinical_adds_places_to_default() -> None:
    default, clinical = load_templates("default"), load_templates("clinical")
    assert set(default) < set(clinical)
    assert make_plan(default).token_attributes == ()
    assert set(make_plan(clinical).token_attributes) == {
        "space",
        "run",
        "date",
        "header",
        "section",
        "row",
        "lead",
        "earlier",
        "place",
    }


@pytest.mark.parametrize("as_text", [True, False])
def test_a_file_of_templates(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "my.features"
    path.write_bytes("\ufeff# mine\r\nlower[-1..1]\r\n\r\nkind[0] # Größe\r\n".encode())
    loaded = load_templates(str(path) if as_text else path)
    assert loaded == parse_templates(["lower[-1..1]", "kind[0]"])


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^clincal: neither .* did you mean clinical\?$"):
        load_templates("clincal")
    with pytest.raises(ConfigError, match=r"presets are default, clinical, hypergraph$"):
        load_templates(tmp_path / "absent")
    path = tmp_path / "bad"
    path.write_bytes(b"lower[0]\nlowr[0]\n")
    with pytest.raises(ConfigError, match=r"bad:2: unknown attribute 'lowr'; did you mean lower\?"):
        load_templates(path)
    path.write_bytes(b"# nothing\n")
    with pytest.raises(ConfigError, match=r"bad: contains no templates$"):
        load_templates(path)
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"bad: not valid utf-8$"):
        load_templates(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_templates(tmp_path)
