"""``lacuna train --from``: what an adapted model keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import lacuna as library
from lacuna import Crf, Document, Mention
from lacuna.text.sequences import SequenceKind
from tests.cli.conftest import Lacuna
from tests.models.examples import corpus


def test_the_caution_stays_unless_it_is_set(tmp_path: Path, lacuna: Lacuna) -> None:
    old, new, more = (tmp_path / name for name in ("old.lacuna", "new.lacuna", "more.jsonl"))
    line = SequenceKind.LINE
    settings = Crf(features="default", iterations=5, caution=1.5, sequence=line)
    library.save(library.train(corpus(6), settings), old)
    text = "Takes Zyrex daily."
    library.write([Document(f"n{n}", text, (Mention.of("DRUG", (6, 11)),)) for n in range(4)], more)
    adapt = ("train", more, "-o", new, "--from", old, "--set", "iterations=2")
    assert lacuna(*adapt).code == 0
    assert library.load(new).config == replace(settings, iterations=2)
    assert lacuna(*adapt, "--set", "caution=0.5").code == 0
    assert library.load(new).config == replace(settings, iterations=2, caution=0.5)
    assert lacuna(*adapt, "--set", "caution=0").code == 0
    assert library.load(new).config == replace(settings, iterations=2, caution=0.0)
