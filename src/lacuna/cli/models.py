"""``lacuna models``: the models that come with lacuna."""

from __future__ import annotations

from typing import Any

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import JsonOption
from lacuna.models.bundled import BUNDLED, bundled_models


def models_command(*, as_json: JsonOption = False) -> None:
    """List the models that come with lacuna.

    Their names can be used wherever a model file is expected; lacuna inspect NAME shows more.

    Example: lacuna deid notes/ -o safe/ --model en-clinical
    """
    found = [_described(name) for name in bundled_models()]
    if as_json:
        print_json(found)
        return
    print_table(
        "bundled models",
        ("name", "language", "size", "labels", "licence"),
        [
            (
                one["name"] + " (default)" * (one["name"] == BUNDLED),
                one["language"],
                f"{one['bytes'] / 1e6:.1f} MB",
                f"{len(one['labels'])}",
                one["licence"].split(";")[0],
            )
            for one in found
        ],
        text_columns=(1, 4),
    )
    for one in found:
        say(f"{one['name']}: {one['path']}")


def _described(name: str) -> dict[str, Any]:
    from lacuna.deid.vocabulary import LANGUAGE
    from lacuna.models.file import read_model
    from lacuna.models.registry import restore

    path = bundled_models()[name]
    stored = read_model(path)
    model = restore(stored)
    return {
        "name": name,
        "path": str(path),
        "bytes": path.stat().st_size,
        "language": stored.header.get(LANGUAGE, ""),
        "labels": list(model.labels),
        "data": list(model.card.data),
        "licence": model.card.licence,
    }
