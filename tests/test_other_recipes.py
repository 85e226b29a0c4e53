"""The recipes of es-clinical and en-general, on a made-up corpus: the same bytes every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lacuna
from lacuna.io.output import write_corpus
from lacuna.text.document import Document, Mention

RECIPES = Path(__file__).parent.parent / "recipes"


def built(recipe: str, output: Path, *options: str, seed: str) -> bytes:
    command = [sys.executable, str(RECIPES / recipe / "build.py"), "-o", str(output), *options]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return output.read_bytes()


def test_the_spanish_recipe_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    text = "Nombre: Olalla.\nCP: 28016.\nPaciente de 45 años, mujer, ingresa el 3/4/2015."
    marks = {
        "NOMBRE_SUJETO_ASISTENCIA": "Olalla",
        "TERRITORIO": "28016",
        "EDAD_SUJETO_ASISTENCIA": "45 años",
        "SEXO_SUJETO_ASISTENCIA": "mujer",
        "FECHAS": "3/4/2015",
    }
    notes = [Document(f"n{n}", text, mentions(text, marks)) for n in range(5)]
    write_corpus(notes, tmp_path / "train", format="brat")
    options = (str(tmp_path / "train"), "--jottings", "15")
    one, other = (built("es_clinical", tmp_path / seed, *options, seed=seed) for seed in ("1", "2"))
    assert one == other
    model = lacuna.load(tmp_path / "1")
    assert {"ZIP", "SEX", "DATE", "PATIENT", "AGE"} <= set(model.labels)
    assert not model.held_words()


def test_the_general_recipe_gives_the_same_bytes_twice(tmp_path: Path) -> None:
    text = "On 4 May 2012 Mr Ozan Demir, a Turkish national, wrote to the Agency in Izmir."
    marks = {
        "DATETIME": "4 May 2012",
        "PERSON": "Mr Ozan Demir",
        "DEM": "Turkish",
        "ORG": "Agency",
        "LOC": "Izmir",
    }
    cases = [Document(f"c{n}", text, mentions(text, marks)) for n in range(4)]
    write_corpus(cases, tmp_path / "cases.jsonl", format="jsonl")
    options = (str(tmp_path / "cases.jsonl"), "--small")
    one, other = (built("en_general", tmp_path / seed, *options, seed=seed) for seed in ("1", "2"))
    assert one == other
    model = lacuna.load(tmp_path / "1")
    assert {"PERSON", "ORGANIZATION", "LOCATION", "DATE", "DEMOGRAPHIC"} <= set(model.labels)
    assert not model.held_words()


def mentions(text: str, marks: dict[str, str]) -> tuple[Mention, ...]:
    """Return a mention of each label."""
    return tuple(
        Mention.of(label, (text.index(part), text.index(part) + len(part)))
        for label, part in marks.items()
    )
