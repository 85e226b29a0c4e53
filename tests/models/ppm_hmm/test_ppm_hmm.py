"""The HMM with character models: counts by hand, a path for every text, model files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lacuna.encoding.flat import mentions_of, tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError, ModelFileError
from lacuna.features.token_table import token_table
from lacuna.inference.chain import best_paths, posterior
from lacuna.models.file import read_model, write_model
from lacuna.models.ppm_hmm import PpmHmm, PpmHmmModel
from lacuna.models.ppm_hmm.storage import restore_ppm_hmm
from lacuna.models.ppm_hmm.training import train_ppm_hmm
from lacuna.text.document import Document, Mention
from lacuna.text.units import Units
from tests.models.examples import corpus

SEED = PpmHmm(
    scheme=Scheme.IO, context=False, blend=False, units=Units.SPACE, power=1.0, exclusion=False
)


def train(documents: Sequence[Document], config: PpmHmm = PpmHmm()) -> PpmHmmModel:  # noqa: B008
    return train_ppm_hmm([tag_document(document) for document in documents], config)


def emission(model: PpmHmmModel, *texts: str) -> np.ndarray:
    documents = [Document(f"d{n}", text) for n, text in enumerate(texts)]
    return model.emission(token_table(documents, [model.tokens(d) for d in documents]))


def find(model: PpmHmmModel, document: Document) -> Document:
    tokens = model.tokens(document)
    table = token_table([document], [tokens])
    path, _ = best_paths(model.chain(), model.emission(table), table.sentences)
    found = mentions_of([model.tags[k] for k in path], tokens)
    return replace(document, mentions=tuple(found))


def two_names() -> Document:
    return Document(
        "d", "Ken met Ann\n\nKen ran", (Mention.of("n", (0, 3)), Mention.of("n", (8, 11)))
    )


def test_the_papers_model_by_hand() -> None:
    model = train([two_names()], replace(SEED, smoothing=0.5))
    assert model.tags == ("O", "I-n")
    chain = model.chain()
    # first: I-n, O; O → I-n once, O → end once; I-n → O once, I-n → end once
    np.testing.assert_allclose(np.exp(chain.start), [1.5 / 3, 1.5 / 3])
    np.testing.assert_allclose(
        np.exp(chain.transition[0]), np.array([[1.5, 1.5], [1.5, 0.5]]) / [[4.5], [3.5]]
    )
    np.testing.assert_allclose(np.exp(chain.stop[0]), [1.5 / 4.5, 1.5 / 3.5])
    known = emission(model, "Ken met Ann")
    np.testing.assert_allclose(np.exp(known), [[1 / 3, 1 / 2], [1 / 3, 0], [0, 1 / 2]])
    unknown = emission(model, "Kan")
    np.testing.assert_allclose(unknown, model.ppm.score(["Kan"]))


def test_known_words_blend_counts_and_spelling() -> None:
    model = train([two_names()], PpmHmm(scheme=Scheme.IO, context=False, power=0.5))
    spelt = np.exp(model.ppm.score(["Ken", "Kan"]))
    found = np.exp(emission(model, "Ken Kan") / 0.5)
    # O: 3 words, 3 different; n: 2 and 2, so half of the mass is for what was not seen
    np.testing.assert_allclose(found[0], [0.5 / 3 + 0.5 * spelt[0, 0], 0.5 / 2 + 0.5 * spelt[0, 1]])
    np.testing.assert_allclose(found[1], 0.5 * spelt[1])


def test_a_word_that_looks_like_a_name_is_one() -> None:
    model = train(corpus(40))
    note = Document("new", "Seen by Dr. Borislav Petrova in Calla today.")
    labels = {mention.surface(note.text): mention.label for mention in find(model, note).mentions}
    assert labels == {"Borislav Petrova": "PER", "Calla": "LOC"}


@pytest.mark.parametrize("scheme", [Scheme.IO, Scheme.BIO, Scheme.BILOU])
@pytest.mark.parametrize("units", list(Units))
def test_it_learns_its_training_corpus(scheme: Scheme, units: Units) -> None:
    documents = corpus(20)
    model = train(documents, PpmHmm(scheme=scheme, units=units))
    expected = [document.mentions for document in documents]
    found = [find(model, document).mentions for document in documents]
    if model.config.units is Units.SPACE:  # a full stop sticks to some names
        assert sum(map(len, found)) > 0.9 * sum(map(len, expected))
    else:
        assert found == expected


def test_units_are_decided_in_training() -> None:
    assert train(corpus(5)).config.units is Units.WORD
    assert train([two_names()]).config.units is Units.SPACE


@settings(max_examples=40)
@given(
    st.sampled_from([Scheme.IO, Scheme.BIO, Scheme.BILOU]),
    st.booleans(),
    st.text(alphabet="Kentraмир ,.\n东", max_size=40),
)
def test_there_is_always_a_path(scheme: Scheme, context: bool, text: str) -> None:
    model = train([two_names()], PpmHmm(scheme=scheme, context=context))
    scores = emission(model, text)
    assert np.isfinite(scores).all()
    if len(scores):
        assert np.isfinite(posterior(model.chain(), scores).log_partition)


def test_moves_out_of_every_state_sum_to_one() -> None:
    chain = train(corpus(10)).chain()
    np.testing.assert_allclose(np.exp(chain.transition[0]).sum(1) + np.exp(chain.stop[0]), 1)
    assert np.exp(chain.start).sum() == pytest.approx(1)


def test_states_that_never_occurred_are_left_out() -> None:
    model = train([two_names()], PpmHmm(units=Units.SPACE))
    assert {str(state.tag) for state in model.states} == {"O", "U-n"}
    assert model.labels == ("n",)
    none = train([Document("d", "no names here")])
    assert none.tags == ("O",)


def test_training_twice_gives_the_same_model() -> None:
    first, second = train(corpus(5)).store(), train(corpus(5)).store()
    assert first.header == second.header
    for name, array in first.arrays.items():
        np.testing.assert_array_equal(array, second.arrays[name])


def test_a_file_brings_the_model_back(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = train(corpus(5))
    write_model(tmp_path / "m.lacuna", model.store())
    again = restore_ppm_hmm(read_model(tmp_path / "m.lacuna"))
    assert again.config == model.config
    assert again.states == model.states
    text = "Boris Sato was moved to Evora, said Юрий."
    np.testing.assert_array_equal(emission(again, text), emission(model, text))
    np.testing.assert_array_equal(again.chain().transition, model.chain().transition)


@pytest.mark.parametrize("name", sorted(train([two_names()]).store().arrays))
def test_a_damaged_file_is_refused(name: str) -> None:
    stored = train([two_names()]).store()
    arrays = dict(stored.arrays)
    del arrays[name]
    with pytest.raises(ModelFileError):
        restore_ppm_hmm(replace(stored, arrays=arrays))
    if arrays and stored.arrays[name].dtype != np.uint64:
        arrays[name] = np.full_like(stored.arrays[name], -1, dtype=np.int64).astype(
            stored.arrays[name].dtype
        )
        with pytest.raises(ModelFileError):
            restore_ppm_hmm(replace(stored, arrays=arrays))


FAR = ["O", "", ""]


@pytest.mark.parametrize(
    "states",
    [[], [["U-n", None, None]], [["O", None]], "O", [FAR, FAR], [FAR, ["Q-n", None, None]]],
)
def test_damaged_states_are_refused(states: object) -> None:
    stored = train([two_names()]).store()
    with pytest.raises(ModelFileError, match="header"):
        restore_ppm_hmm(replace(stored, header={**stored.header, "states": states}))


def test_settings_that_could_leave_no_path_are_refused() -> None:
    with pytest.raises(ConfigError, match="smoothing"):
        PpmHmm(smoothing=0.0)
    with pytest.raises(ConfigError, match="blend"):
        PpmHmm(blend=False)
    with pytest.raises(ConfigError, match="no tokens"):
        train([Document("d", " ")])


def test_a_file_whose_states_lead_nowhere_is_refused() -> None:
    stored = train(corpus(5)).store()
    states = [[tag.replace("L-PER", "L-X"), *sides] for tag, *sides in stored.header["states"]]
    with pytest.raises(ModelFileError, match="counts are damaged"):
        restore_ppm_hmm(replace(stored, header={**stored.header, "states": states}))
