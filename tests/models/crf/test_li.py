"""The CRF with LI tags: mentions with gaps, how they are decoded, and their probabilities."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from lacuna import Document, Mention
from lacuna.encoding.li import LI_FOLLOWERS, li_example, li_tag_set
from lacuna.encoding.schemes import Heuristic, moves
from lacuna.errors import ConfigError
from lacuna.models.crf import Crf
from lacuna.models.crf.li import Li, LiModel
from lacuna.models.file import write_model
from lacuna.models.registry import load, with_heuristic
from lacuna.pipeline.training import train, train_model
from lacuna.text.sequences import SequenceKind
from tests.models.hypergraph.gapped_examples import GAPPED_NOTES as NOTES


@cache
def model() -> LiModel:
    found = train_model(NOTES, Li(iterations=60, tolerance=0.0))
    assert isinstance(found, LiModel)
    return found


def bare(documents: list[Document]) -> list[Document]:
    return [replace(document, mentions=()) for document in documents]


def test_finds_mentions_with_gaps() -> None:
    for gold, found in zip(NOTES, model().find(bare(NOTES)), strict=True):
        assert found.mentions == gold.mentions


def test_reads_off_all_or_enough(tmp_path: Path) -> None:
    path = tmp_path / "m.lacuna"
    write_model(path, with_heuristic(model(), Heuristic.ALL).store())
    (document,) = bare(NOTES[:1])
    every, enough = (load(path, heuristic=kind).tag(document) for kind in (None, Heuristic.ENOUGH))
    assert set(every.mentions) > set(enough.mentions) == set(NOTES[0].mentions)
    assert len(every.mentions) == 4  # also the head alone, and the end of the first alone


def test_flat_models_have_no_heuristic() -> None:
    flat = train_model(NOTES[:4], Crf(iterations=2))
    with pytest.raises(ConfigError, match="crf model"):
        with_heuristic(flat, Heuristic.ALL)


def test_is_as_sure_as_the_paths_that_have_the_mention() -> None:
    """Compare with the sum over all paths with the same tags on its words that end there."""
    tagger = model()
    document = Document("d", "left pain in arm and leg")
    (found,) = tagger.find([document], probabilities=True)
    table = tagger.table([document])
    emission, chain = tagger.emission(table).astype(np.float64), tagger.chain()
    best = tagger.path(chain, emission, table).tolist()
    moves = chain.transition[0]
    paths = {
        path: np.exp(
            chain.start[path[0]]
            + sum(emission[t, k] for t, k in enumerate(path))
            + sum(moves[i, j] for i, j in pairwise(path))
        )
        for path in product(range(len(tagger.tags)), repeat=len(best))
    }
    total = sum(paths.values())
    words = {table.start[t]: t for t in range(len(best))}
    ends = {table.end[t]: t for t in range(len(best))}
    assert len(found.mentions) == 2
    for mention in found.mentions:
        own = [(words[span.start], ends[span.end] + 1) for span in mention.spans]

        def has_it(path: tuple[int, ...], own: list[tuple[int, int]] = own) -> bool:
            return all(
                list(path[a:b]) == best[a:b]
                and (b == len(path) or tagger.tags[path[b]] != f"I{tagger.tags[path[b - 1]][1:]}")
                for a, b in own
            )

        expected = sum(weight for path, weight in paths.items() if has_it(path)) / total
        assert mention.probability == pytest.approx(expected, rel=1e-9)
        assert expected < 0.999999


def test_words_of_two_labels_keep_the_longest() -> None:
    text = "pain in arm and leg"
    mentions = (
        *[Mention.of("A", (0, 7), (16, 19)), Mention.of("B", (8, 11)), Mention.of("A", (0, 11))],
        *[Mention.of("B", (8, 15)), Mention.of("B", (12, 15))],
    )
    example = li_example(Document("d", text, mentions), 3, SequenceKind.SENTENCE)
    assert example.left_out == {"sharing words with another label": 2}
    assert example.labels() == {"A": 2, "B": 1}
    assert example.tags == ["BH-A", "IH-A", "B-A", "B-B", "BD-A"]


def test_left_out_mentions_are_told() -> None:
    crowded = Document("d", "a b c d e f g", (Mention.of("P", (0, 1), (4, 5), (8, 9), (12, 13)),))
    trained = train([*NOTES[:4], crowded], Li(iterations=2))
    assert trained.left_out == {"of more than 3 parts": 1}


def test_tags_of_other_labels_do_not_go_on() -> None:
    tags = li_tag_set(["X", "Y"])
    allowed = moves(tags, LI_FOLLOWERS).allowed
    follows = {(tags[i], tags[j]) for i, j in zip(*np.nonzero(allowed), strict=True)}
    assert ("BD-X", "ID-X") in follows
    assert ("ID-X", "BH-Y") in follows
    for pair in [("BD-X", "ID-Y"), ("BD-X", "I-X"), ("O", "IH-X"), ("B-X", "ID-X")]:
        assert pair not in follows
    assert allowed[0].sum() == 1 + 3 * 2


def test_a_mention_may_have_two_parts_at_least() -> None:
    with pytest.raises(ConfigError, match="at least 2"):
        Li(parts=1)
