"""A spaCy component: what a model finds, in ``doc.ents``, ``doc.spans`` and ``doc._.lacuna``.

    nlp = spacy.blank("en")
    nlp.add_pipe("lacuna", config={"model": "en-clinical"})
    doc = nlp("Seen by Dr. Okafor on 03/18/2024.")

spaCy registers the component by the entry point ``spacy_factories``. Mentions lie on the tokens of
lacuna, which are not always those of spaCy: spans of spaCy are extended to its tokens, and
``doc._.lacuna`` has the exact characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import spacy
from spacy.attrs import IDX, LENGTH
from spacy.tokens import Doc, Span

from lacuna.models.base import Tagger
from lacuna.models.bundled import model_path
from lacuna.models.file import model_bytes
from lacuna.models.registry import load, model_of_bytes
from lacuna.text.document import Document, Mention

KEY = "lacuna"  #: of ``doc.spans``, ``doc.user_data`` and the extension
FILE = "model.lacuna"  #: in the folder of the component


class _Part(NamedTuple):
    """A part of a mention, on tokens of spaCy."""

    first: int
    last: int
    label: str
    probability: float | None
    is_whole: bool


class Component:
    """Finds mentions in documents of spaCy; :func:`make_component` makes one.

    Parameters
    ----------
    model
        A model file, or the name of a bundled model; opened when it is needed.
    ents
        Whether ``doc.ents`` is set: to mentions without gaps, of overlapping ones the longest, then
        the leftmost. Entities of other components stay where lacuna finds nothing.
    probabilities
        Whether mentions get the probability that they are exactly right.
    """

    def __init__(self, model: str, *, ents: bool = True, probabilities: bool = False) -> None:
        self._source, self._ents, self._probabilities = model, ents, probabilities
        self._model: Tagger | None = None
        self._lock = Lock()

    @property
    def tagger(self) -> Tagger:
        """The model; spaCy would take an attribute ``model`` for one of its own."""
        with self._lock:
            if self._model is None:
                self._model = load(self._source)
            return self._model

    @property
    def labels(self) -> tuple[str, ...]:
        """What the model finds; nothing is known before :meth:`from_disk` if its file is gone."""
        is_there = self._model is not None or model_path(self._source).exists()
        return tuple(self.tagger.labels) if is_there else ()

    def __call__(self, doc: Doc) -> Doc:
        """Find mentions in a document; :meth:`pipe` is twice as fast for many."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 100) -> Iterator[Doc]:
        """Find mentions in many documents."""
        docs = iter(stream)
        while batch := list(islice(docs, batch_size)):
            given = [Document(str(place), doc.text) for place, doc in enumerate(batch)]
            tagged = self.tagger.tag(given, probabilities=self._probabilities)
            for doc, found in zip(batch, tagged, strict=True):
                self._set(doc, found.mentions)
                yield doc

    def _set(self, doc: Doc, mentions: Sequence[Mention]) -> None:
        doc.user_data[KEY] = [mention.to_dict() for mention in mentions]
        parts = _on_tokens(doc, mentions)
        spans = [Span(doc, part.first, part.last, part.label) for part in parts]
        doc.spans[KEY] = spans
        if self._probabilities:
            doc.spans[KEY].attrs["probabilities"] = [part.probability for part in parts]
        if self._ents:
            pairs = zip(spans, parts, strict=True)
            flat = _without_overlaps([span for span, part in pairs if part.is_whole])
            taken = np.zeros(len(doc), np.bool_)
            for span in flat:
                taken[span.start : span.end] = True
            kept = [ent for ent in doc.ents if not taken[ent.start : ent.end].any()]
            doc.ents = (*flat, *kept)

    def to_bytes(self, exclude: Sequence[str] = ()) -> bytes:  # noqa: ARG002
        """Return the model file."""
        return model_bytes(self.tagger.store())

    def from_bytes(self, content: bytes, exclude: Sequence[str] = ()) -> Component:  # noqa: ARG002
        """Use a model from the bytes of its file."""
        self._model = model_of_bytes(content)
        return self

    def to_disk(self, path: str | Path, exclude: Sequence[str] = ()) -> None:
        """Write the model to a folder, so that a pipeline on disk is complete."""
        Path(path).mkdir(parents=True, exist_ok=True)
        (Path(path) / FILE).write_bytes(self.to_bytes(exclude))

    def from_disk(self, path: str | Path, exclude: Sequence[str] = ()) -> Component:  # noqa: ARG002
        """Use the model of a folder."""
        self._model = load(Path(path) / FILE)
        return self


@spacy.Language.factory(  # type: ignore[untyped-decorator]
    "lacuna",
    assigns=["doc.ents", "doc.spans", "doc._.lacuna"],
    default_config={"model": "en-clinical", "ents": True, "probabilities": False},
)
def make_component(
    nlp: Any,  # noqa: ARG001 - spaCy passes the pipeline and the name
    name: str,  # noqa: ARG001
    model: str,
    ents: bool,
    probabilities: bool,
) -> Component:
    """Return the component for a pipeline of spaCy."""
    return Component(model, ents=ents, probabilities=probabilities)


def _on_tokens(doc: Doc, mentions: Sequence[Mention]) -> list[_Part]:
    """Return the parts of mentions, extended to tokens of spaCy."""
    spans = [(m, span) for m in mentions for span in m.spans]
    starts, lengths = doc.to_array([IDX, LENGTH]).astype(np.int64).T
    first = np.searchsorted(starts + lengths, [s.start for _, s in spans], side="right")
    last = np.searchsorted(starts, [s.end for _, s in spans], side="left")
    return [
        _Part(a, b, mention.label, mention.probability, is_whole=len(mention.spans) == 1)
        for (mention, _), a, b in zip(spans, first.tolist(), last.tolist(), strict=True)
    ]


def _without_overlaps(spans: list[Span]) -> list[Span]:
    """Return the longest of overlapping spans, of equally long ones the leftmost."""
    kept: list[Span] = []
    taken: set[int] = set()
    for span in sorted(spans, key=lambda one: (one.start - one.end, one.start)):
        tokens = range(span.start, span.end)
        if taken.isdisjoint(tokens):
            taken.update(tokens)
            kept.append(span)
    return kept


def _mentions(doc: Doc) -> tuple[Mention, ...]:
    stored = Document.from_dict({"text": doc.text, "mentions": doc.user_data.get(KEY, [])})
    return stored.mentions


Doc.set_extension(KEY, getter=_mentions, force=True)
