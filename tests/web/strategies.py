"""Random edits for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from lacuna.text.document import Document
from lacuna.web.operations import (
    Accept,
    Add,
    Asked,
    Change,
    Reject,
    Remove,
    SetState,
    Spans,
    State,
)
from tests.strategies import spans_in

#: Few, so that operations meet: two of them are those of given mentions.
UIDS = ("g1", "g2", "a", "b", "c")
LABELS = ("PER", "LOC", "DATE")
TEXT = "Seen by Dr. Ana Sató 😀 on 03/14\r\nin Bern."

uids = st.sampled_from(UIDS)
labels = st.sampled_from(LABELS)


@st.composite
def some_spans(draw: st.DrawFn) -> Spans:
    return tuple((span.start, span.end) for span in draw(spans_in(len(TEXT))))


def operations() -> st.SearchStrategy[Asked]:
    maybe_label, maybe_spans = st.none() | labels, st.none() | some_spans()
    return st.one_of(
        st.builds(Add, uids, labels, some_spans()),
        st.builds(Change, uids, maybe_label, maybe_spans),
        st.builds(Remove, uids),
        st.builds(Accept, uids, maybe_label, maybe_spans),
        st.builds(Reject, uids, maybe_label, maybe_spans),
        st.builds(SetState, st.none() | st.sampled_from(State), st.none() | st.booleans()),
    )


edits = st.lists(operations(), min_size=1, max_size=3)


def note(id_: str = "note-1", group: str | None = None) -> Document:
    """Return a document with two given mentions."""
    return Document.from_dict(
        {
            "id": id_,
            "text": TEXT,
            "group": group,
            "mentions": [
                {"label": "PER", "spans": [[12, 20]], "probability": 0.75},
                {"label": "DATE", "spans": [[26, 31]]},
            ],
        }
    )
