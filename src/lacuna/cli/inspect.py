"""``lacuna inspect``: what a model file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import JsonOption

if TYPE_CHECKING:
    from lacuna.models.crf import CrfModel
    from lacuna.models.two_pass import TwoPassModel

MOVES_SHOWN = 20


def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    as_json: JsonOption = False,
) -> None:
    """Show what a model is: settings, training, templates, moves between tags."""
    from lacuna.models.kinds import load
    from lacuna.models.storage import file_digest, read_model
    from lacuna.models.two_pass import TwoPassModel

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
    parts = _passes(tagger) if isinstance(tagger, TwoPassModel) else {"": tagger}
    for name, crf in parts.items():
        _show_crf(name, crf)


def _passes(model: TwoPassModel) -> dict[str, CrfModel]:
    return {"first pass: ": model.first, "second pass: ": model.second}


def _show_crf(name: str, model: CrfModel) -> None:
    config = msgspec.to_builtins(model.config)
    print_table(f"{name}settings", ("setting", "value"), [(k, str(v)) for k, v in config.items()])
    print_table(f"{name}training", ("", "value"), [(k, str(v)) for k, v in model.summary.items()])
    templates = [(str(template),) for template in model.index.plan.templates]
    print_table(f"{name}templates", ("template",), templates)
    strongest = np.argsort(-np.abs(model.moves), axis=None, kind="stable")[:MOVES_SHOWN]
    pairs = [divmod(int(place), len(model.tags)) for place in strongest]
    rows = [(f"{model.tags[i]} → {model.tags[j]}", f"{model.moves[i, j]:+.3f}") for i, j in pairs]
    print_table(f"{name}strongest moves", ("from → to", "weight"), rows)
