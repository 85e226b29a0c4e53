"""Settings shared by models with feature templates."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from lacuna import Split
from lacuna.models.feature_settings import FeatureSettings


def test_features_come_first_whatever_their_default() -> None:
    assert next(field.name for field in fields(Split)) == "features"
    assert Split("other").features == "other"


def test_settings_for_a_file_name_no_folder() -> None:
    lists, clusters = {"towns": "/home/me/towns.tsv"}, {"brown": "data/paths"}
    config = Split("/home/me/my.features", word_lists=lists, clusters=clusters, parts=2)
    assert config.without_folders() == Split(
        "my.features", word_lists={"towns": "towns.tsv"}, clusters={"brown": "paths"}, parts=2
    )


def test_reads_templates_columns_and_word_lists(tmp_path: Path) -> None:
    path = tmp_path / "towns.tsv"
    path.write_text("Arden\n")
    templates, resources = FeatureSettings(columns=("pos",), word_lists={"t": str(path)}).read()
    attributes = {term.attribute for template in templates for term in template.terms}
    assert {"column.pos", "list.t"} <= attributes
    assert set(resources.lists) == {"t"}
