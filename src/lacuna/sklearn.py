"""An estimator of scikit-learn: train and tag with lists of words and tags, or feature dicts.

    tagger = Tagger(l2=0.3).fit([["Ms", "Keller", "slept"]], [["O", "B-PER", "O"]])
    tagger.predict([["Ms", "Sato", "slept"]])

Sequences are lists of words, or, as for sklearn-crfsuite, lists of dicts of features. From words
lacuna makes features of its own; dicts are used as they are. Tags are those of mentions (``B-PER``,
in any scheme) or any others, such as parts of speech.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lacuna.encoding.schemes import OUTSIDE, decode, parse_tag
from lacuna.errors import ConfigError
from lacuna.io.conll import from_bio, tags_of
from lacuna.models.chain_tagger import ChainTagger
from lacuna.models.registry import kind_named
from lacuna.models.settings import Settings, why_unknown
from lacuna.pipeline.training import train_model
from lacuna.text.document import Document

Sequences = Sequence[Sequence[Any]]
WORD = "x"  #: stands for each token that has features and no word


class Tagger(BaseEstimator):  # type: ignore[misc]
    """A model of lacuna as an estimator.

    A parameter that is ``None`` has the default of the kind of model, which ``lacuna train --model
    KIND --help-config`` shows.

    Parameters
    ----------
    kind
        The kind of model: ``crf``, ``trigram-hmm``, ``class-hmm`` …
    l2, l1, iterations, min_count, features, lexicon, scheme
        Settings of a CRF.
    settings
        Other settings, by name.
    seed
        Seed of random starts.

    Attributes
    ----------
    model_
        The trained model; ``lacuna.save(tagger.model_, "own.lacuna")`` writes its file.
    classes_
        All tags.
    """

    def __init__(
        self,
        kind: str = "crf",
        *,
        l2: float | None = None,
        l1: float | None = None,
        iterations: int | None = None,
        min_count: int | None = None,
        features: str | None = None,
        lexicon: bool | None = None,
        scheme: str | None = None,
        settings: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.kind = kind
        self.l2 = l2
        self.l1 = l1
        self.iterations = iterations
        self.min_count = min_count
        self.features = features
        self.lexicon = lexicon
        self.scheme = scheme
        self.settings = settings
        self.seed = seed

    def fit(self, X: Sequences, y: Sequences) -> Self:  # noqa: N803
        """Learn from sequences and their tags."""
        words, tags = _sequences(X, "X"), _sequences(y, "y")
        if len(words) != len(tags):
            raise ValueError(f"X has {len(words)} sequences and y has {len(tags)}")
        self.plain_tags_ = _are_plain(tags)
        if self.plain_tags_:
            tags = [[OUTSIDE if tag == OUTSIDE else f"I-{tag}" for tag in row] for row in tags]
        self.keys_ = _keys(words)
        columns = _columns(words, self.keys_)
        documents = [
            _document(str(number), row, column, row_tags)
            for number, (row, column, row_tags) in enumerate(zip(words, columns, tags, strict=True))
        ]
        with TemporaryDirectory() as folder:
            self.model_ = train_model(documents, self._config(Path(folder)), seed=self.seed)
        self.classes_ = np.array([self._shown(tag) for tag in self._chain.tags])  # refuses others
        return self

    def predict(self, X: Sequences) -> list[list[str]]:  # noqa: N803
        """Return the tags of sequences."""
        model = self._chain
        found = model.find(self._documents(X))
        scheme = model.config.scheme
        return [[self._shown(tag) for tag in tags_of(document, scheme)] for document in found]

    def predict_marginals(self, X: Sequences) -> list[list[dict[str, float]]]:  # noqa: N803
        """Return for each token the probability of every tag."""
        names = self.classes_.tolist()
        found = self._chain.token_probabilities(self._documents(X))
        return [[dict(zip(names, row, strict=True)) for row in rows.tolist()] for rows in found]

    def predict_proba(self, X: Sequences) -> list[Any]:  # noqa: N803
        """Return for each sequence an array of tokens and tags, in the order of ``classes_``."""
        return self._chain.token_probabilities(self._documents(X))

    def score(self, X: Sequences, y: Sequences) -> float:  # noqa: N803
        """Return F1 of whole mentions; of plain tags, the share of tokens that are right."""
        found, gold = self.predict(X), _sequences(y, "y")
        if self.plain_tags_:
            pairs = [p for rows in zip(found, gold, strict=True) for p in zip(*rows, strict=True)]
            return float(np.mean([a == b for a, b in pairs])) if pairs else 1.0
        given, expected = _mentions(found), _mentions(gold)
        total = len(given) + len(expected)
        return 2 * len(given & expected) / total if total else 1.0

    def __sklearn_tags__(self) -> Any:
        """Say that sequences are lists, and that tags are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = False
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags

    def _config(self, folder: Path) -> Settings:
        """Return the settings of the model; features of dicts are columns of the documents."""
        given = {
            name: value
            for name in ("l2", "l1", "iterations", "min_count", "features", "lexicon", "scheme")
            if (value := getattr(self, name)) is not None
        }
        if self.plain_tags_:
            given.setdefault("scheme", "IO")
        if self.keys_:
            if self.features is not None:
                raise ConfigError("features: the dicts of X are the features")
            templates = folder / "dicts.features"
            lines = (f"column.k{number}[0]" for number in range(len(self.keys_)))
            templates.write_text("\n".join(lines), "utf-8")
            given |= {"features": str(templates), "lexicon": False}
        given |= self.settings or {}
        record = kind_named(self.kind).config
        for name in given:
            if unknown := why_unknown(record, name):
                raise ConfigError(unknown)
        return record(**given)

    def _documents(self, X: Sequences) -> list[Document]:  # noqa: N803
        words = _sequences(X, "X")
        columns = _columns(words, self.keys_)
        return [
            _document(str(number), row, column, [OUTSIDE] * len(row))
            for number, (row, column) in enumerate(zip(words, columns, strict=True))
        ]

    @property
    def _chain(self) -> ChainTagger:
        if not hasattr(self, "model_"):
            raise NotFittedError("this Tagger is not fitted yet; call fit first")
        if not isinstance(self.model_, ChainTagger):
            raise ConfigError(f"a {self.model_.kind} model has no tag for each token")
        return self.model_

    def _shown(self, tag: str) -> str:
        return tag[2:] if self.plain_tags_ and tag != OUTSIDE else tag


def _sequences(values: Sequences, name: str) -> list[list[Any]]:
    """Return sequences as lists of lists."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a list of sequences")
    found = []
    for row in values:
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise ValueError(f"{name} must be a list of sequences, each a list of tokens")
        found.append(list(row))
    return found


def _are_plain(tags: Iterable[Iterable[Any]]) -> bool:
    """Whether tags are labels of tokens, rather than of mentions: B-PER, I-PER, O."""
    others = {tag for row in tags for tag in row if tag != OUTSIDE}
    for tag in others:
        if not isinstance(tag, str) or not tag:
            raise ValueError(f"tags must be strings, not {type(tag).__name__}")
    return any(parse_tag(tag) is None for tag in others)


def _keys(rows: Sequence[Sequence[Any]]) -> dict[str, int]:
    """Return the names of features, numbered; none if tokens are words."""
    dicts = {isinstance(token, Mapping) for row in rows for token in row}
    if dicts == {True, False}:
        raise ValueError("X has words and dicts of features: give one or the other")
    if True not in dicts:
        return {}
    keys = sorted({key for row in rows for token in row for key in token})
    return {key: number for number, key in enumerate(keys)}


def _columns(
    rows: Sequence[Sequence[Any]], keys: Mapping[str, int]
) -> list[dict[str, tuple[str, ...]]]:
    """Return the features of dicts as a column for each key; new keys are unknown and ignored."""
    return [
        {
            f"k{number}": tuple(_value(key, token.get(key)) for token in row)
            for key, number in keys.items()
        }
        for row in rows
    ]


def _value(key: str, value: Any) -> str:
    """Return the value of a feature as text; empty if a token does not have it."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, str):
        return value
    raise ValueError(
        f"feature {key!r} is {type(value).__name__}: features are strings or booleans. Weights that"
        " are multiplied by numbers are not supported; give a number as a band, such as '10-20'"
    )


def _document(
    id_: str, row: Sequence[Any], columns: Mapping[str, tuple[str, ...]], tags: Sequence[str]
) -> Document:
    """Return a sequence as a document."""
    words = [WORD] * len(row) if columns else [str(word) for word in row]
    document = from_bio([words], [list(tags)], id=id_)
    tokens = document.tokens
    if tokens is None or not columns or not words:
        return document
    return replace(document, tokens=replace(tokens, columns=dict(columns)))


def _mentions(rows: Iterable[Sequence[str]]) -> set[tuple[int, str, int, int]]:
    """Return the mentions that tags encode, with the number of their sequence."""
    return {(number, *chunk) for number, row in enumerate(rows) for chunk in decode(row)}
