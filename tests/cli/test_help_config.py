"""``train --help-config``: every setting, its default, what it allows and what it means."""

from __future__ import annotations

import pytest

from lacuna.cli.console import stdout
from lacuna.models.registry import trainable
from lacuna.models.setting_help import describe_settings
from tests.cli.conftest import Lacuna


@pytest.mark.parametrize("columns", [40, 80, 160])
@pytest.mark.parametrize("kind", sorted(trainable()))
def test_all_settings_are_shown(
    lacuna: Lacuna, kind: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdout, "_width", columns)
    run = lacuna("train", "--model", kind, "--help-config")
    assert run.code == 0
    words = " ".join(run.out.split())
    for name, default, allowed, meaning in describe_settings(trainable()[kind].config):
        assert f"{name} = {default} ({allowed}) {meaning}" in words
    assert "level = label" in words
    assert max(map(len, run.out.splitlines())) <= columns
