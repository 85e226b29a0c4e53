"""``lacuna inspect``: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import JsonOption


def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    as_json: JsonOption = False,
) -> None:
    """Show what a model is: settings, training, templates, moves between tags."""
    from lacuna.models.kinds import load
    from lacuna.models.storage import file_digest, read_model

    stored = read_model(model)
    tagger = load(model)
    facts = {
        "kind": stored.kind,
        "sha256": file_digest(model),
        "bytes": model.stat().st_size,
        "labels": list(tagger.labels),
        **stored.header,
    }
    if as_json:
        print_json(facts)
        return
    say(f"{stored.kind} model, {facts['bytes']:,} bytes, SHA-256 {facts['sha256']}")
    config = [(name, str(value)) for name, value in stored.header["config"].items()]
    print_table("settings", ("setting", "value"), config)
    summary = [(name, str(value)) for name, value in stored.header["summary"].items()]
    print_table("training", ("", "value"), summary)
    print_table("templates", ("template",), [(line,) for line in stored.header["templates"]])
    order = np.argsort(-np.abs(tagger.moves), axis=None)[:20]
    pairs = [divmod(int(place), len(tagger.tags)) for place in order]
    print_table(
        "strongest moves",
        ("from → to", "weight"),
        [(f"{tagger.tags[i]} → {tagger.tags[j]}", f"{tagger.moves[i, j]:+.3f}") for i, j in pairs],
    )
