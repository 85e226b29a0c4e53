"""The spaCy component, against the real package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lacuna
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document, Mention
from tests.integrations.needed import needed

spacy = needed("spacy")

from lacuna.spacy import Component  # noqa: E402 - needs spaCy

NOTES = [note.text for note in generate(40, seed=11, split=Split.TEST)]


class Fixed:
    """A model that finds what it is told."""

    labels = ("FINDING", "SITE")

    def __init__(self, *mentions: Mention) -> None:
        self.mentions = mentions

    def tag(self, documents: list[Document], *, probabilities: bool) -> Any:
        return (Document(d.id, d.text, self.mentions) for d in documents)


def with_mentions(text: str, *mentions: Mention) -> Any:
    component = Component("not opened")
    component._model = Fixed(*mentions)  # type: ignore[assignment]
    return component(spacy.blank("en")(text))


@pytest.fixture(scope="module")
def nlp() -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("lacuna", config={"model": "en-clinical", "probabilities": True})
    return nlp


def test_mentions_are_those_of_the_model(nlp: Any) -> None:
    expected = list(lacuna.load("en-clinical").tag(NOTES, probabilities=True))
    assert sum(len(document.mentions) for document in expected) > 200
    for doc, document in zip(nlp.pipe(NOTES, batch_size=7), expected, strict=True):
        assert doc._.lacuna == document.mentions
        parts = [(m, span) for m in document.mentions for span in m.spans]
        shares = doc.spans["lacuna"].attrs["probabilities"]
        for span, (mention, part), share in zip(doc.spans["lacuna"], parts, shares, strict=True):
            assert span.label_ == mention.label
            assert span.start_char <= part.start < part.end <= span.end_char
            assert span[0].idx + len(span[0]) > part.start  # no token too many
            assert span[-1].idx < part.end
            assert share == mention.probability
        assert {span.label_ for span in doc.ents} <= set(nlp.get_pipe("lacuna").labels)


def test_one_by_one_is_the_same(nlp: Any) -> None:
    for doc, alone in zip(nlp.pipe(NOTES[:5]), map(nlp, NOTES[:5]), strict=True):
        assert [(e.start, e.end, e.label) for e in doc.ents] == [
            (e.start, e.end, e.label) for e in alone.ents
        ]


def test_gaps_and_overlaps() -> None:
    text = "pain in left arm and leg"
    gapped = Mention.of("FINDING", (0, 12), (21, 24))
    long, short = Mention.of("FINDING", (0, 16)), Mention.of("SITE", (8, 16))
    doc = with_mentions(text, gapped, long, short)
    assert doc._.lacuna == (gapped, long, short)
    assert [span.text for span in doc.spans["lacuna"]] == [
        *("pain in left", "leg", "pain in left arm", "left arm"),
    ]
    assert [ent.text for ent in doc.ents] == ["pain in left arm"]


def test_parts_of_tokens_are_extended() -> None:
    doc = with_mentions("Seen 03/18/2024-discharged", Mention.of("DATE", (5, 15)))
    assert doc._.lacuna[0].surface(doc.text) == "03/18/2024"
    assert doc.ents[0].start_char <= 5
    assert doc.ents[0].end_char >= 15


def test_entities_of_others_stay_where_nothing_is_found() -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = [("DRUG", "aspirin"), ("OTHER", "Dr. Okafor on")]
    ruler.add_patterns([{"label": label, "pattern": text} for label, text in patterns])
    nlp.add_pipe("lacuna")
    doc = nlp("Seen by Dr. Okafor on 03/18/2024, aspirin stopped.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        *(("Okafor", "DOCTOR"), ("03/18/2024", "DATE"), ("aspirin", "DRUG")),
    ]
    nlp = spacy.blank("en")
    nlp.add_pipe("lacuna", config={"ents": False})
    assert nlp("Seen by Dr. Okafor.").ents == ()


def test_a_pipeline_on_disk_is_complete(nlp: Any, tmp_path: Path) -> None:
    model = tmp_path / "own.lacuna"
    lacuna.save(lacuna.load("en-clinical"), model)
    own = spacy.blank("en")
    own.add_pipe("lacuna", config={"model": str(model), "probabilities": True})
    own.to_disk(tmp_path / "pipeline")
    model.unlink()
    loaded = spacy.load(tmp_path / "pipeline")
    assert loaded(NOTES[0])._.lacuna == nlp(NOTES[0])._.lacuna
    again = spacy.blank("en")
    again.add_pipe("lacuna", config={"model": "gone.lacuna", "probabilities": True})
    again.from_bytes(nlp.to_bytes())
    assert again(NOTES[0])._.lacuna == nlp(NOTES[0])._.lacuna


def test_documents_are_stored_with_their_mentions(nlp: Any) -> None:
    from spacy.tokens import DocBin

    docs = list(nlp.pipe(NOTES[:3]))
    binary = DocBin(docs=docs, store_user_data=True).to_bytes()
    for doc, stored in zip(docs, DocBin().from_bytes(binary).get_docs(nlp.vocab), strict=True):
        assert stored._.lacuna == doc._.lacuna
        assert [span.text for span in stored.spans["lacuna"]] == [
            span.text for span in doc.spans["lacuna"]
        ]


def test_nothing_to_find(nlp: Any) -> None:
    assert nlp("")._.lacuna == ()
    assert nlp("No fever.").ents == ()
