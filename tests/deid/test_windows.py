"""Long documents: windows cover the text, overlap, and cut no word where there is white space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid import detector as module
from lacuna.deid.detector import Detector, Recognizers, detect_bounded, windows
from lacuna.deid.findings import Finding, Origin
from lacuna.models.base import Examined
from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of

SIZE, OVERLAP = 50, 20


class Unsure:
    """A tagger that finds nothing."""

    def examine(self, documents: Sequence[Document]) -> list[Examined]:
        tokens = [tokens_of(document) for document in documents]
        return [
            Examined(document, [], its.start, its.end, np.zeros(len(its)))
            for document, its in zip(documents, tokens, strict=True)
        ]


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WINDOW", SIZE)
        patch.setattr(module, "OVERLAP", OVERLAP)
        patch.setattr(module, "_LOOK_BACK", 10)
        yield


@given(st.text(alphabet="ab \n", max_size=400))
def test_windows_cover_everything_and_overlap(text: str) -> None:
    found = list(windows(text))
    assert found[0][0] == 0
    assert found[-1][1] == len(text)
    for (start, end), (after, _) in pairwise(found):
        assert start < after <= end - OVERLAP or after == end - OVERLAP
        assert end - start <= SIZE
        near = text[end - 10 + 1 : end]
        assert text[end - 1].isspace() or not any(c.isspace() for c in near)


def test_every_place_of_a_long_text_is_found() -> None:
    name = "Ann Lee"
    text = "".join(f"{number:03d} {name}; " for number in range(60))

    def recognize(document: Document) -> list[Finding]:
        starts = [i for i in range(len(document.text)) if document.text.startswith(name, i)]
        return [Finding(i, i + len(name), "PATIENT", Origin.PATTERN) for i in starts]

    detector = Detector(Unsure(), Recognizers(recognize))  # type: ignore[arg-type]
    short = Document("s", "Ann Lee")
    long = Document("d", text)
    first, second, third = detect_bounded(detector, [short, long, short])
    assert {f[:2] for f in second.findings} == {
        (i, i + len(name)) for i in range(len(text)) if text.startswith(name, i)
    }
    assert second.document is long
    assert len(first.findings) == len(third.findings) == 1
