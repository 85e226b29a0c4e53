"""Two passes: evidence from elsewhere in the document, held out in training."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.blocks import BLOCK, block_units
from lacuna.features.layout import value_hashes
from lacuna.features.token_table import token_table, training_table
from lacuna.models.crf import Crf
from lacuna.models.crf.elsewhere import COLUMNS, FirstPass, evidence
from lacuna.models.crf.held_out import held_out, joined, only_in
from lacuna.models.crf.two_pass import TwoPassModel, first_look, restore_two_pass
from lacuna.models.file import StoredModel, write_model
from lacuna.models.registry import load
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import Progress, TrainOptions
from lacuna.text.tokens import tokens_of
from lacuna.types import HashArray
from tests.models.examples import corpus

TEXT = "Dr. Sato met Reading . Ana Sato likes reading . Sato left Reading ."
LABELS = ("O", "B", "LOC", "PER", "A")


def seen(text: str, *found: tuple[int, int, str], share: object = None) -> dict[str, list[str]]:
    """Return the columns of a text with mentions (first token, end, label), spelled out."""
    table = token_table([Document("d", text)])
    given = np.zeros((len(table.start), len(LABELS))) if share is None else np.array(share, float)
    start, end = (np.array([mention[i] for mention in found], np.int64) for i in (0, 1))
    label = np.array([LABELS.index(mention[2]) for mention in found], np.int64)
    told = evidence(table, FirstPass(LABELS, given, start, end, label), table.documents)
    return {name.removeprefix("column."): spelled(values) for name, values in told.items()}


def spelled(values: HashArray) -> list[str]:
    """Return the texts of values."""
    texts = ["", "yes", *LABELS]
    texts += [f"{label}{band}" for label in LABELS for band in range(1, 6)]
    texts += [f"{place}{label}{often}" for place in "BI" for label in LABELS for often in "+-"]
    names = dict(zip(value_hashes(texts).tolist(), texts, strict=True))
    return [names[value] for value in values.tolist()]


def of(word: str, values: list[str]) -> list[str]:
    """Return the values of the occurrences of a word in TEXT."""
    document = Document("d", TEXT)
    words = tokens_of(document).words(TEXT)
    return [value for w, value in zip(words, values, strict=True) if w == word]


def test_votes_leave_out_ones_own() -> None:
    vote = seen(TEXT, (2, 3, "PER"), (6, 8, "PER"))["vote"]
    assert of("Sato", vote) == ["O", "O", "PER"]
    assert of("Reading", vote) == ["O", "O"]
    assert of("Ana", vote) == of("likes", vote) == [""]


def test_longer_mentions_elsewhere_count() -> None:
    longer = seen(TEXT, (2, 3, "PER"), (6, 8, "PER"))["longer"]
    assert of("Sato", longer) == ["PER", "", "PER"]
    assert of("Ana", longer) == [""]


def test_lower_case_elsewhere_is_seen() -> None:
    cased = seen(TEXT)["cased"]
    assert of("Reading", cased) == ["yes", "yes"]
    assert of("Sato", cased) == ["", "", ""]


def test_ties_go_to_the_first_in_the_alphabet_whatever_the_order() -> None:
    found = seen("Sato Sato Sato", (0, 1, "B"), (1, 2, "A"))
    assert found["vote"] == ["A", "B", "A"]


def test_soft_votes_are_means_over_the_other_occurrences() -> None:
    share = np.zeros((4, len(LABELS)))
    share[:, [0, 2, 3]] = [[0.1, 0.9, 0.0], [0.9, 0.1, 0.0], [0.5, 0.1, 0.4], [1.0, 0.0, 0.0]]
    found = seen("Reading READING reading once", share=share)
    # means of the others: (.7 .1 .2), (.3 .5 .2), (.5 .5 0), and there is no other "once"
    assert found["soft"] == ["PER2", "LOC4", "LOC3", ""]
    assert found["surest"] == ["O", "LOC2", "LOC2", ""]  # .4 is below .5; .9, .9


def test_words_of_a_mention_elsewhere() -> None:
    found = seen("Ana Sato and ana sato saw SATO", (0, 2, "PER"), (6, 7, "LOC"))
    # "Ana Sato" has no other mention; "Sato" alone is one of two others; both words come again
    assert found["whole"] == ["", "BLOC-", "", "BPER+", "IPER+", "", ""]
    # words of the longer mention elsewhere, but not in that mention itself
    assert found["within"] == ["", "", "", "PER", "PER", "", "PER"]


def test_a_model_is_told_its_own_posteriors(model: TwoPassModel) -> None:
    documents = corpus(3, seed=9)
    seen = first_look(model.first, model.first.table(documents))
    inside = np.concatenate([model.first.identifier_probability(d) for d in documents])
    np.testing.assert_allclose(1 - seen.share[:, 0], inside, atol=1e-6)
    np.testing.assert_allclose(seen.share.sum(axis=1), 1.0, atol=1e-9)
    found = model.first.table(documents)
    spans = [
        (int(found.start[a]), int(found.end[b - 1]), seen.labels[k])
        for a, b, k in zip(seen.start, seen.end, seen.label, strict=True)
    ]
    assert spans == [
        (m.start + shift, m.end + shift, m.label)
        for d, shift in zip(documents, found.texts.tolist(), strict=False)
        for m in model.first.tag(d).mentions
    ]


def test_a_model_is_told_what_it_looks_at(model: TwoPassModel) -> None:
    older = TwoPassModel(model.first, model.first)  # whose second pass looks at no column
    for one, looks_at in ((model, COLUMNS), (older, ())):
        assert one.looks_at == set(looks_at)
        assert set(one.table(corpus(1)).given) == {f"column.{name}" for name in looks_at}


def test_documents_are_tagged_apart(model: TwoPassModel) -> None:
    documents = corpus(6, seed=3)
    together = [d.mentions for d in model.find(documents, probabilities=True)]
    for document, mentions in zip(documents, together, strict=True):
        assert model.tag(document, probabilities=True).mentions == mentions


@pytest.fixture(scope="module")
def model() -> TwoPassModel:
    made = train(corpus(20), Crf(iterations=15, tolerance=0.0, two_pass=True)).model
    assert isinstance(made, TwoPassModel)
    return made


def test_two_passes_learn_and_leave_the_document_as_it_was(model: TwoPassModel) -> None:
    for document in corpus(5):
        found = model.tag(document, probabilities=True)
        assert [(m.label, m.spans) for m in found.mentions] == [
            (m.label, m.spans) for m in document.mentions
        ]
        assert found.tokens is None
        assert len(model.identifier_probability(document)) == len(tokens_of(document))


def test_file_there_and_back(model: TwoPassModel, tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    digest = write_model(path, model.store())
    again = load(path)
    assert isinstance(again, TwoPassModel)
    assert write_model(path, again.store()) == digest
    document = corpus(1, seed=4)[0]
    assert again.tag(document).mentions == model.tag(document).mentions
    stored = model.store()
    with pytest.raises(ModelFileError, match="no second pass"):
        restore_two_pass(StoredModel("two-pass", {"first": stored.header["first"]}, stored.arrays))


def test_an_interruption_ends_training_before_there_is_a_second_pass() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(corpus(10), Crf(two_pass=True), TrainOptions(on_progress=interrupt))


def test_too_few_groups_for_held_out_passes_are_refused() -> None:
    with pytest.raises(ConfigError, match="folds"):
        train(corpus(4), Crf(two_pass=True))


# --- blocks


def without_borders(sentences: int) -> Document:
    """A document of many sentences in which the same names come again and again."""
    parts = corpus(sentences // 4, seed=6)
    text, mentions = "", []
    for part in parts:
        mentions += [
            Mention.of(m.label, (m.start + len(text), m.end + len(text))) for m in part.mentions
        ]
        text += part.text
    return Document("one", text, tuple(mentions))


@pytest.fixture(scope="module")
def of_blocks() -> TwoPassModel:
    made = train([without_borders(6 * BLOCK)], Crf(iterations=15, two_pass=True)).model
    assert isinstance(made, TwoPassModel)
    return made


def test_a_corpus_without_document_borders_is_cut_into_blocks(of_blocks: TwoPassModel) -> None:
    assert of_blocks.block == BLOCK
    assert of_blocks.first.index.plan.resources.lexicon is not None
    text = without_borders(2 * BLOCK)
    found = of_blocks.tag(text)
    assert [(m.label, m.spans) for m in found.mentions] == [
        (m.label, m.spans) for m in text.mentions
    ]


def test_long_documents_are_then_cut_in_tagging_too(of_blocks: TwoPassModel) -> None:
    text = without_borders(2 * BLOCK).text
    half = list(re.finditer("\n", text))[BLOCK - 1].end()
    apart = of_blocks.table([Document("a", text[:half]), Document("b", text[half:])])
    whole = of_blocks.table([Document("c", text)])
    as_one = replace(of_blocks, block=0).table([Document("c", text)])
    for name, values in whole.given.items():
        assert values.tolist() == apart.given[name].tolist()
    assert any(values.tolist() != as_one.given[n].tolist() for n, values in whole.given.items())


def test_the_size_of_blocks_is_in_the_file(of_blocks: TwoPassModel, model: TwoPassModel) -> None:
    assert restore_two_pass(of_blocks.store()).block == BLOCK
    stored = model.store()
    older = {name: stored.header[name] for name in ("first", "second")}
    assert restore_two_pass(StoredModel("two-pass", older, stored.arrays)).block == 0
    damaged = StoredModel("two-pass", {**older, "block": -1}, stored.arrays)
    with pytest.raises(ModelFileError, match="blocks"):
        restore_two_pass(damaged)


def test_parts_are_runs_of_blocks_apart_from_the_rest() -> None:
    example = Crf().example(without_borders(8 * BLOCK))
    table = training_table([example])
    unit = np.repeat(block_units(table.documents, table.sentences, BLOCK), np.diff(table.sentences))
    folds = list(held_out([example], table, BLOCK))
    assert (np.sum([fold.part for fold in folds], axis=0) == 1).all()
    for rest, part in folds:
        away = np.abs(unit[rest][:, None] - np.unique(unit[part]))
        assert away.min() == 2
        left = set(unit.tolist()) - set(unit[rest].tolist()) - set(unit[part].tolist())
        assert len(left) <= 2


def test_parts_are_whole_groups_if_there_are_borders() -> None:
    documents = corpus(12)
    examples = [Crf().example(document) for document in documents]
    table = training_table(examples)
    group = np.repeat([int(str(d.group)[1:]) for d in documents], np.diff(table.documents))
    folds = list(held_out(examples, table, 0))
    assert (np.sum([fold.part for fold in folds], axis=0) == 1).all()
    for rest, part in folds:
        assert (rest == ~part).all()
        assert not set(group[rest].tolist()) & set(group[part].tolist())


def test_what_was_seen_in_the_parts_is_joined_in_order() -> None:
    seen = FirstPass(
        LABELS[:3], np.eye(3)[[0, 1, 2, 1]], *np.array([[1, 2, 3], [2, 3, 4], [1, 2, 1]])
    )
    part = np.array([True, False, True, False])
    both = joined([only_in(part, seen), only_in(~part, seen)])
    assert both.share.tolist() == seen.share.tolist()
    assert [list(row) for row in both[2:]] == [list(row) for row in seen[2:]]
    assert only_in(part, seen).start.tolist() == [2]
