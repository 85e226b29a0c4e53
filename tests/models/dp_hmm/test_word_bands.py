"""The HMM with sub-tags and its functions of rare words: word lists, templates, phrases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.flat import tag_document
from lacuna.errors import ConfigError, CorpusFormatError, ModelFileError
from lacuna.models.base import FitOptions
from lacuna.models.dp_hmm import DpHmm, DpHmmModel
from lacuna.models.dp_hmm.storage import restore_dp_hmm
from lacuna.models.dp_hmm.training import fit_dp_hmm
from lacuna.models.file import StoredModel, read_model, write_model

SMALL = DpHmm(subtags={"outside": 1, "entity": 1}, iterations=5, phrases=0, class_count=2)
NAMES = ("Bakk", "Dorn", "Fenn", "Gark", "Holm", "Jost", "Kamp", "Lenz")
TOWNS = ("Moor", "Nord", "Oost", "Pahl", "Quad", "Rijn", "Sund", "Torp")


def model_of(documents: list[Document], config: DpHmm) -> DpHmmModel:
    tagged = [tag_document(document) for document in documents]
    *_, last = fit_dp_hmm(tagged, config, FitOptions(0))
    model = last.model()
    assert isinstance(model, DpHmmModel)
    return model


def seen(words: tuple[str, ...], label: str) -> list[Document]:
    """Return one document for each word, in a sentence that tells nothing."""
    return [
        Document(word, f"We saw {word} there.", (Mention.of(label, (7, 7 + len(word))),))
        for word in words
    ]


def ages_and_doses() -> list[Document]:
    made = []
    for number in range(30, 60):
        age = Mention.of("AGE", (7, 9))
        made.append(Document(f"a{number}", f"She is {number} years of age today.", (age,)))
        made.append(Document(f"b{number}", f"She is {number} times a day there."))
    return made


def labels(model: DpHmmModel, text: str) -> list[str]:
    (found,) = model.find([Document("d", text)])
    return [mention.label for mention in found.mentions]


@pytest.fixture
def lists(tmp_path: Path) -> dict[str, str]:
    names, towns = tmp_path / "names.tsv", tmp_path / "towns.txt"
    names.write_text("".join(f"{name}\t500\n" for name in (*NAMES, "Wolf")))
    towns.write_text("".join(f"{town}\n" for town in (*TOWNS, "Ypern")))
    return {"names": str(names), "towns": str(towns)}


@pytest.fixture
def listed(lists: dict[str, str]) -> DpHmmModel:
    return model_of(seen(NAMES, "PER") + seen(TOWNS, "LOC"), replace(SMALL, word_lists=lists))


def test_words_of_a_list_are_known_by_it(listed: DpHmmModel) -> None:
    assert labels(listed, "We saw Wolf there.") == ["PER"]
    assert labels(listed, "We saw Ypern there.") == ["LOC"]


def test_a_model_keeps_its_word_lists_but_not_where_they_were(
    listed: DpHmmModel, tmp_path: Path
) -> None:
    assert listed.config.word_lists == {"names": "names.tsv", "towns": "towns.txt"}
    path = tmp_path / "listed.lacuna"
    digest = write_model(path, listed.store())
    again = restore_dp_hmm(read_model(path))
    assert labels(again, "We saw Wolf and Ypern there.") == ["PER", "LOC"]
    assert write_model(path, again.store()) == digest


def test_wrong_lists_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("word\tmany\n")
    documents = seen(NAMES, "PER")
    with pytest.raises(CorpusFormatError, match="count"):
        model_of(documents, replace(SMALL, word_lists={"a": str(tmp_path / "bad.tsv")}))
    (tmp_path / "good.tsv").write_text("word\t1\n")
    with pytest.raises(ConfigError, match="cannot name"):
        model_of(documents, replace(SMALL, word_lists={"a b": str(tmp_path / "good.tsv")}))


@pytest.mark.parametrize(("phrases", "found"), [(100, [["AGE"], []]), (0, [["AGE"], ["AGE"]])])
def test_phrases_tell_ages_from_doses(phrases: int, found: list[list[str]]) -> None:
    # one sub-tag per tag: no state can wait for what comes behind the number
    new = ("He is 77 years of age today.", "He is 77 times a day there.")
    model = model_of(ages_and_doses(), replace(SMALL, phrases=phrases, class_count=25))
    assert [labels(model, text) for text in new] == found


def test_templates_know_numbers_that_look_alike() -> None:
    documents = [
        Document(f"a{n}", f"See ZA-{n}/7 now.", (Mention.of("ID", (4, 13)),))
        for n in range(1000, 1020)
    ]
    documents += [Document(f"b{n}", f"See {n} mg now.") for n in range(1020, 1040)]
    model = model_of(documents, replace(SMALL, templates=True))
    (found,) = model.find(
        [
            Document("d", "See QX-5555/1 now."),
        ]
    )
    assert [mention.label for mention in found.mentions] == ["ID"]


@pytest.mark.parametrize("form", ["phrases", "word_lists"])
def test_files_that_do_not_fit_their_settings_are_refused(listed: DpHmmModel, form: str) -> None:
    whole = listed.store()
    arrays: dict[str, Any] = dict(whole.arrays)
    if form == "phrases":
        arrays["phrases"] = np.ones(1, np.uint64)
    else:
        del arrays["list.names.hashes"], arrays["list.names.bands"]
    with pytest.raises(ModelFileError, match="rare words"):
        restore_dp_hmm(StoredModel(whole.kind, whole.header, arrays))
    arrays["list.names.bands"] = np.zeros(1, np.int8)
    with pytest.raises(ModelFileError):
        restore_dp_hmm(StoredModel(whole.kind, whole.header, arrays))
