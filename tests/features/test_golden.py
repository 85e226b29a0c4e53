"""The features of one sentence, readable; and hashes that hold for ever, in every process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lacuna.features.extract import build_index
from lacuna.features.lexicon import Clusters, WordList
from lacuna.features.plan import Plan, make_plan
from lacuna.features.resources import Resources
from lacuna.features.templates import Template, parse_templates
from lacuna.text.document import Document
from lacuna.text.tokens import tokenize, tokens_of
from lacuna.text.word_types import WordTypes, hash_words, number_types
from tests.features.firing import keys_by_token, rows_by_token
from tests.features.reference import features, table_of

GOLDEN = Path(__file__).parent / "golden" / "sentence.json"
NOTE = Document("note", "Seen by:\tDr. Zoë O'Neil,\nroom 12-B.", meta={"kind": "letter"})
TAGGED = replace(NOTE, tokens=replace(tokenize(NOTE.text), columns={"pos": tuple("VI:N.NN,NC-N.")}))
RESOURCES = Resources(
    {"first": WordList(WordTypes.build(hash_words(["zoë"])), np.array([3], np.int8))},
    {
        "brown": Clusters(
            WordTypes.build(hash_words(["room", "by"])),
            np.array([0b1011 << 60, 0b1000 << 60], np.uint64),
            np.array([4, 1], np.int32),
        )
    },
)
TEMPLATES = """
word[0]
lower[-1..1]
prefix2[0]
suffix3[0]
shape[0]
short[0]
kind[0]
length[0]
stem[0]
space[0]
header[0]
section[0]
row[0]
place[0]
meta.kind[0]
lower[-1] lower[0]
header[0] short[0]
"""


def plan_of(text: str) -> Plan:
    return make_plan(parse_templates(text.splitlines()), resources=RESOURCES)


def readable(value: object) -> str:
    """Print a reference value: ("x", ("a", "b")) as x a b."""
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(str, value)))
    if isinstance(value, tuple):
        return " ".join(map(readable, value))
    return str(value)


def firing() -> dict[str, list[str]]:
    """Return the features that fire for each token, by names; rows and names go one to one."""
    plan, table = plan_of(TEMPLATES), table_of([NOTE])
    numbered = number_types(table.hashes)
    index = build_index(table, numbered, plan)
    rows = rows_by_token(table, plan, index.rows(table, numbered))
    names: dict[int, tuple[Template, object]] = {}
    fired: dict[str, list[str]] = {}
    for t, word in enumerate(tokens_of(NOTE).words(NOTE.text)):
        here = fired.setdefault(f"{t} {word}", [])
        for j, template in enumerate(plan.templates):
            row, value = int(rows[t, j]), features(template, [NOTE])[t]
            if row >= 0:
                assert names.setdefault(row, (template, value)) == (template, value)
                here.append(f"{template} = {readable(value)}")
    assert len(names) == len(index)
    return fired


def test_features_of_one_sentence() -> None:
    assert firing() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def digest() -> str:
    """Return a digest of every key of a note, under templates of all kinds."""
    more = "column.pos[0]\nlist.first[0]\ncluster.brown.2[0]\ncluster.brown.4[0]"
    keys = keys_by_token(table_of([TAGGED]), plan_of(TEMPLATES + more))
    assert keys.any(axis=0).all()  # every template has its say
    return hashlib.sha256(keys.astype("<u8").tobytes()).hexdigest()[:16]


#: Stored models hold these hashes: a change here makes every model file useless.
DIGEST = "ebd59f92a3f92e26"


def test_hashes_never_change() -> None:
    assert digest() == DIGEST


@pytest.mark.parametrize("seed", ["0", "1"])
def test_hashes_are_the_same_in_every_process(seed: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from tests.features.test_golden import digest; print(digest())"],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == DIGEST + "\n"
