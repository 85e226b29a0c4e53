"""The picture of sub-tags around a label: well-formed, complete, and safe with any word."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.errors import ConfigError
from lacuna.models.dp_hmm.cues import SubTags
from lacuna.pictures.subtag_graph import MOST, subtag_graph
from tests.pictures.test_pictures import names, of_class, words

#: O 1, O 2, I-JOB 1, I-JOB 2, border
FLOW = np.array(
    [
        [50.0, 30.0, 0.0, 0.0, 20.0],
        [0.0, 0.0, 24.0, 6.0, 0.0],
        [6.0, 0.0, 3.0, 21.0, 0.0],
        [27.0, 0.0, 0.0, 0.0, 0.0],
        [17.0, 0.0, 3.0, 0.0, 0.0],
    ]
)
STATES = ("O 1", "O 2", "I-JOB 1", "I-JOB 2", "border")


def subtags(item_names: tuple[str, ...] = ("he", "as", "head", "nurse")) -> SubTags:
    share = np.full((4, 4), 0.1) + np.diag([0.6] * 4)
    return SubTags(
        STATES,
        ("", "", "JOB", "JOB", ""),
        FLOW,
        share,
        share @ (FLOW[:-1].sum(axis=1) / FLOW[:-1].sum()),
        dict(enumerate(item_names)),
    )


def test_what_is_drawn() -> None:
    picture = Xml.fromstring(subtag_graph(subtags(), "JOB", title="around JOB"))
    boxes = of_class(picture, "box")
    texts = [words(box) for box in boxes]
    assert [text[0] for text in texts] == [
        "O 2, 30 tokens",
        "sentence begins",
        "I-JOB 1",
        "I-JOB 2",
        "O 1, 100 tokens",
    ]
    # 30 of 130 tokens outside lead to JOB, all of O 2
    assert texts[0][1:] == ["as", "100.0% lead to it, ×4.3", "after he"]
    assert texts[2][1:] == ["head", "30 tokens, ↻ .10"]
    assert texts[3][1:] == ["nurse", "27 tokens"]
    assert sorted(names(of_class(picture, "move"))) == [
        "I-JOB 1 → I-JOB 2 0.700",
        "I-JOB 1 → O 1, 100 tokens 0.200",
        "I-JOB 2 → O 1, 100 tokens 1.000",
        "O 2, 30 tokens → I-JOB 1 0.800",
        "O 2, 30 tokens → I-JOB 2 0.200",
        "sentence begins → I-JOB 1 0.150",
    ]
    assert {"around JOB", "before JOB", "after JOB", ".80"} <= set(words(picture))


def test_the_likelier_move_has_the_wider_arrow() -> None:
    picture = Xml.fromstring(subtag_graph(subtags(), "JOB", title=""))
    moves = of_class(picture, "move")
    widths = [float(move[1].get("stroke-width", "0")) for move in moves]
    likely = [float(name.rpartition(" ")[2]) for name in names(moves)]
    assert widths == sorted(widths)
    assert likely == sorted(likely)


def test_a_sub_tag_whose_every_move_is_small_still_has_its_arrow() -> None:
    size = 40
    flow = np.full((size + 2, size + 2), 1.0)
    found = SubTags(
        (*(f"O {i}" for i in range(size)), "I-JOB", "border"),
        (*[""] * size, "JOB", ""),
        flow,
        np.ones((1, size + 1)),
        np.ones(1),
        {},
    )
    picture = Xml.fromstring(subtag_graph(found, "JOB", title=""))
    assert len(of_class(picture, "box")) == 2 * MOST + 1
    assert len(of_class(picture, "move")) == 2 * MOST


def test_sub_tags_that_never_occur_leave_an_empty_picture() -> None:
    nothing = replace(subtags(), flow=np.zeros_like(FLOW))
    picture = Xml.fromstring(subtag_graph(nothing, "JOB", title=""))
    assert of_class(picture, "box") == of_class(picture, "move") == []


@given(st.lists(st.text(min_size=1, max_size=40), min_size=4, max_size=4))
def test_any_word_and_label_can_be_drawn(odd: list[str]) -> None:
    label = odd[0]
    renamed = replace(
        subtags(tuple(odd)),
        names=("O 1", "O 2", f"I-{label} 1", f"I-{label} 2", "border"),
        labels=("", "", label, label, ""),
    )
    Xml.fromstring(subtag_graph(renamed, label, title=label))


def test_words_are_escaped() -> None:
    drawn = subtag_graph(subtags(("he", "<b>&", "head", "nurse")), "JOB", title="<T>")
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn
    assert "&lt;T&gt;" in drawn


def test_a_label_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="it has JOB"):
        subtag_graph(subtags(), "PER", title="")
