"""The training lexicon in models: which have one, what files hold, what adapting adds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lacuna import Crf, Document, Mention, train
from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.resources import uses_lexicon
from lacuna.features.token_table import token_table
from lacuna.features.training_lexicon import TrainingLexicon, lower_hashes, range_hashes
from lacuna.models.base import Tagger
from lacuna.models.file import StoredModel
from lacuna.models.registry import load, restore, trainable
from lacuna.models.settings import configure
from lacuna.pipeline.training import train as train_with_options
from lacuna.pipeline.training_records import TrainOptions
from lacuna.text.document import Span
from lacuna.text.tokens import tokens_of
from tests.features.reference import lower
from tests.models.every_kind import example
from tests.models.examples import corpus

KINDS = ("crf", "li", "shared", "split")
GOLDEN = Path(__file__).parent / "golden"
NOTES = corpus(12)


def lexicon_of(model: Any) -> TrainingLexicon | None:
    found: TrainingLexicon | None = model.index.plan.resources.lexicon
    return found


def made(config: Crf, documents: Sequence[Document] = NOTES, **options: Any) -> Any:
    return train_with_options(documents, config, TrainOptions(**options)).model


FAST = Crf(iterations=3)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_with_features_has_one_and_can_do_without(kind: str) -> None:
    model: Any = example(kind)
    assert lexicon_of(model) is not None
    assert uses_lexicon(model.index.plan.templates)
    config = configure(trainable()[kind].config, ["iterations=2", "lexicon=false"])
    without: Any = train(NOTES, config)
    assert lexicon_of(without) is None
    assert not uses_lexicon(without.index.plan.templates)


@pytest.mark.parametrize("kind", KINDS)
def test_what_it_says_changes_scores(kind: str) -> None:
    model: Any = example(kind)
    plan = model.index.plan
    other = lexicon_of(train(corpus(4, seed=9), FAST))
    changed = replace(plan, resources=replace(plan.resources, lexicon=other))
    index = replace(model.index, plan=changed)
    text = Document("d", "Seen by Dr. Ana Okafor in Arden today.")
    one, two = (m.identifier_probability(text) for m in (model, replace(model, index=index)))
    assert np.abs(one - two).max() > 1e-3


def test_both_passes_have_one() -> None:
    model: Any = example("two-pass")
    first, second = lexicon_of(model.first), lexicon_of(model.second)
    assert first is not None
    assert second is not None
    assert counts(first) == counts(second)


def test_with_a_single_unit_there_are_no_other_documents_to_learn_from() -> None:
    one_patient = [replace(document, group="one") for document in NOTES]
    assert lexicon_of(train(one_patient, FAST)) is None
    assert lexicon_of(train([*one_patient, Document("d", "No pain.")], FAST)) is not None


def test_templates_that_use_it_are_taken_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "own.features"
    file.write_text("lower[0]\nlex[-1] lex[0]\n")
    model: Any = train(NOTES, replace(FAST, features=str(file)))
    assert [str(t) for t in model.index.plan.templates] == ["lower[0]", "lex[-1] lex[0]"]
    with pytest.raises(ConfigError, match="lexicon=true"):
        train(NOTES, replace(FAST, features=str(file), lexicon=False))


def counts(lexicon: TrainingLexicon) -> Counter[tuple[str, int, int]]:
    """Return how often each entry has each label, all of them as hashes."""
    return Counter(
        {
            (name, int(part.types.hashes[i]), int(lexicon.labels[k])): n
            for name, part in (("word", lexicon.words), ("phrase", lexicon.phrases))
            for i, k, n in zip(
                part.entry.tolist(), part.label.tolist(), part.times.tolist(), strict=True
            )
        }
    )


@pytest.mark.parametrize("adapting", ["changes", "weights"])
def test_adapting_adds_the_counts_of_the_new_documents(adapting: Any) -> None:
    """Copies in other letters and replayed texts are not counted."""
    new = [replace(note, id=f"n{note.id}", group=None) for note in corpus(4, seed=5)]
    new.append(Document("x", "Takes Zyrex.", (Mention("DRUG", (Span(6, 11),)),)))
    old = made(replace(FAST, adapting=adapting))
    adapted = made(replace(FAST, adapting=adapting), new, start=old, replay=corpus(3, seed=7))
    both = made(FAST, [*NOTES, *new])
    assert counts(adapted.index.plan.resources.lexicon) == counts(both.index.plan.resources.lexicon)


def test_a_model_without_one_is_adapted_without_one() -> None:
    old = made(replace(FAST, lexicon=False))
    model = made(FAST, start=old)
    assert lexicon_of(model) is None
    assert not model.config.lexicon
    golden: Any = load(GOLDEN / "format-2.lacuna")
    assert not golden.config.lexicon
    assert lexicon_of(golden) is None


def entry_units(documents: Sequence[Document]) -> dict[tuple[str, ...], set[tuple[str, str]]]:
    """Return the units of each word, and of each mention's words."""
    units: dict[tuple[str, ...], set[tuple[str, str]]] = defaultdict(set)
    for document in documents:
        tokens = tokens_of(document)
        words = [lower(word) for word in tokens.words(document.text)]
        for word in words:
            units[(word,)].add(document.unit)
        for mention in document.mentions:
            first, last = np.searchsorted(tokens.start, [mention.start, mention.end]).tolist()
            units[tuple(words[first:last])].add(document.unit)
    return units


def word_hash(word: str, key: int) -> int:
    return int(lower_hashes(token_table([Document("d", word)]), key)[0])


def phrase_hash(words: Sequence[str], key: int) -> int:
    hashes = np.array([word_hash(word, key) for word in words], np.uint64)
    return int(range_hashes(hashes, np.array([0]), np.array([len(words)]), key)[0])


def stored_hashes(model: Tagger) -> set[int]:
    return {
        int(value)
        for name, array in model.store().arrays.items()
        if array.dtype == np.uint64
        for value in array.tolist()
    }


@pytest.mark.parametrize("two_pass", [False, True])
def test_a_private_model_knows_only_words_and_phrases_of_three_units(two_pass: bool) -> None:
    documents = corpus(30)
    model = made(replace(FAST, two_pass=two_pass), documents, private=True)
    core = model.core()
    key = core.index.plan.key
    inside = stored_hashes(model)
    units = entry_units(documents)
    often = {entry for entry, own in units.items() if len(own) >= 3}
    assert often
    assert len(often) < len(units)
    words = {entry for entry in units if len(entry) == 1 and word_hash(entry[0], key) in inside}
    assert words == {entry for entry in often if len(entry) == 1}
    phrases = {entry for entry in units if phrase_hash(entry, key) in inside}
    assert phrases <= often
    assert any(len(entry) > 1 for entry in phrases)
    assert not any(word_hash(entry[0], 0) in inside for entry in units)


def test_an_adapted_private_model_learns_no_rare_word() -> None:
    old = made(FAST, corpus(30), private=True)
    few = [Document(f"n{i}", "Ana takes Zyrex.", group=f"p{i}") for i in range(3)]
    few.append(Document("n4", "Ana takes Metalon.", (Mention.of("PER", (0, 3)),)))
    new = made(FAST, few, private=True, start=old)
    key = old.index.plan.key
    before, after = (m.index.plan.resources.lexicon for m in (old, new))
    added = counts(after) - counts(before)
    assert {hash_ for _, hash_, _ in added} == {
        word_hash(word, key) for word in ("ana", "takes", "zyrex", ".")
    }


def test_a_file_without_the_lexicon_that_its_templates_need_is_damaged() -> None:
    stored = example("crf").store()
    arrays = {n: a for n, a in stored.arrays.items() if not n.startswith("lexicon")}
    with pytest.raises(ModelFileError, match="damaged"):
        restore(StoredModel(stored.kind, stored.header, arrays))
