"""The estimator, with the tools of scikit-learn and with data for sklearn-crfsuite."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import lacuna
from lacuna.encoding.schemes import Scheme
from lacuna.errors import ConfigError
from lacuna.io.conll import tags_of
from tests.integrations.needed import needed
from tests.models.examples import corpus

needed("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import NotFittedError, SkipTestWarning  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from lacuna.sklearn import Tagger  # noqa: E402


def sequences(documents: list[lacuna.Document]) -> tuple[list[list[str]], list[list[str]]]:
    words, tags = [], []
    for document in documents:
        tokens = lacuna.tokens(document.text)
        own = lacuna.Document("d", document.text, document.mentions, tokens=tokens)
        words.append(tokens.words(document.text))
        tags.append(tags_of(own, Scheme.BIO))
    return words, tags


def features(words: list[str]) -> list[dict[str, Any]]:
    return [
        {"word": word.lower(), "title": word.istitle(), "before": words[i - 1] if i else "<s>"}
        for i, word in enumerate(words)
    ]


WORDS, TAGS = sequences(corpus(40, seed=1))
MORE, MORE_TAGS = sequences(corpus(20, seed=2))
FAST: dict[str, Any] = {"iterations": 15}


@pytest.fixture(scope="module")
def fitted() -> Tagger:
    return Tagger(**FAST).fit(WORDS, TAGS)


def test_words(fitted: Tagger) -> None:
    assert fitted.score(WORDS, TAGS) > 0.99
    found = fitted.predict(MORE)
    assert [len(tags) for tags in found] == [len(tags) for tags in MORE_TAGS]
    assert fitted.score(MORE, MORE_TAGS) > 0.7
    assert {tag for tags in found for tag in tags} <= {*fitted.classes_}


def test_score_is_f1_of_whole_mentions(fitted: Tagger) -> None:
    found = fitted.predict(MORE)
    assert fitted.score(MORE, found) == 1.0
    worse = [["O"] * len(tags) for tags in found]
    assert fitted.score(MORE, worse) == 0.0


def test_probabilities_of_tags_sum_to_one(fitted: Tagger) -> None:
    model = fitted.model_
    rows = fitted.predict_proba(MORE)
    for words, array, marginals in zip(MORE, rows, fitted.predict_marginals(MORE), strict=True):
        assert array.shape == (len(words), len(fitted.classes_))
        np.testing.assert_allclose(array.sum(axis=1), 1.0, rtol=1e-6)
        assert [*marginals[0]] == [*fitted.classes_]
        document = lacuna.from_bio(words, ["O"] * len(words))
        inside = 1.0 - array[:, [*fitted.classes_].index("O")]
        np.testing.assert_allclose(inside, model.identifier_probability(document), atol=1e-5)


def test_dicts_of_features() -> None:
    tagger = Tagger(**FAST).fit([features(row) for row in WORDS], TAGS)
    assert tagger.score([features(row) for row in WORDS], TAGS) > 0.9
    unknown = [{**token, "new": "x"} for token in features(MORE[0])]
    assert tagger.predict([unknown]) == tagger.predict([features(MORE[0])])
    assert tagger.predict([features(MORE[0])]) != tagger.predict([[{}] * len(MORE[0])])


@pytest.mark.filterwarnings("ignore")
def test_dicts_give_what_sklearn_crfsuite_gives() -> None:
    crfsuite = needed("sklearn_crfsuite")
    train, test = ([features(row) for row in rows] for rows in (WORDS, MORE))
    theirs = crfsuite.CRF(c1=0.0, c2=0.1, max_iterations=60).fit(train, TAGS)
    ours = Tagger(l2=0.1, iterations=60).fit(train, TAGS)
    pairs = zip(ours.predict(test), theirs.predict(test), strict=True)
    same = [a == b for left, right in pairs for a, b in zip(left, right, strict=True)]
    assert np.mean(same) > 0.95


@pytest.mark.parametrize("value", [1, 2.5, np.float32(1.0), ["a"], {"a": "b"}])
def test_numbers_as_features_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="'size' is") as refused:
        Tagger(**FAST).fit([[{"size": value}]], [["O"]])
    assert "features are strings or booleans" in str(refused.value)


def test_tags_that_are_no_mentions() -> None:
    tags = [["NAME" if word.istitle() else "REST" for word in words] for words in WORDS]
    tagger = Tagger(**FAST).fit(WORDS, tags)
    assert {*tagger.classes_} >= {"NAME", "REST"}
    assert tagger.score(WORDS, tags) > 0.95
    assert {tag for row in tagger.predict(MORE) for tag in row} <= {"NAME", "REST", "O"}


def test_other_kinds_of_models() -> None:
    tagger = Tagger("trigram-hmm").fit(WORDS, TAGS)
    assert tagger.score(WORDS, TAGS) > 0.9
    np.testing.assert_allclose(tagger.predict_proba(MORE)[0].sum(axis=1), 1.0, rtol=1e-6)
    with pytest.raises(ConfigError, match="no tag for each token"):
        Tagger("shared", settings={"iterations": 2}).fit(WORDS, TAGS)


def test_clone_parameters_and_pickle(fitted: Tagger) -> None:
    other = clone(Tagger(l2=0.3, settings={"caution": 0.5}))
    assert other.get_params()["l2"] == 0.3
    assert other.set_params(l2=0.5).l2 == 0.5
    with pytest.raises(NotFittedError):
        other.predict(MORE)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - made here
    assert again.predict(MORE) == fitted.predict(MORE)
    with pytest.raises(ConfigError, match="caution"):
        Tagger(settings={"cautoin": 0.5}).fit(WORDS, TAGS)


def test_grid_search_in_two_processes() -> None:
    search = GridSearchCV(Tagger(**FAST), {"l2": [0.1, 30.0]}, cv=3, n_jobs=2)
    search.fit(WORDS, TAGS)
    assert search.best_params_ == {"l2": 0.1}
    assert search.best_estimator_.predict(MORE)
    assert len(cross_val_score(Tagger(**FAST), WORDS, TAGS, cv=3)) == 3


@pytest.mark.parametrize(
    ("words", "tags", "message"),
    [
        ("text", [["O"]], "X must be a list of sequences"),
        (["text"], [["O"]], "each a list of tokens"),
        ([["a"]], [["O"], ["O"]], "X has 1 sequences and y has 2"),
        ([["a"]], [["O", "O"]], "one tag for each token"),
        ([["a", {"w": "b"}]], [["O", "O"]], "words and dicts"),
        ([["a"]], [[3]], "tags must be strings"),
    ],
)
def test_wrong_data(words: Any, tags: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tagger(**FAST).fit(words, tags)


with warnings.catch_warnings():  # of all that it leaves out for estimators of sequences
    warnings.simplefilter("ignore", SkipTestWarning)
    checks = parametrize_with_checks([Tagger(iterations=2)], legacy=False)


@checks  # type: ignore[untyped-decorator]
def test_conventions(estimator: Any, check: Any) -> None:
    check(estimator)
