"""Random findings in random text."""

from __future__ import annotations

from hypothesis import strategies as st

from lacuna.deid.findings import Finding, Origin
from tests.strategies import texts

LABELS = ("PATIENT", "DOCTOR", "DATE", "ZIP", "AGE", "PHONE", "HOSPITAL", "EMAIL", "UNHEARD-OF")


@st.composite
def findings_in(draw: st.DrawFn, size: int, labels: tuple[str, ...] = LABELS) -> Finding:
    """Draw a finding inside ``[0, size)``; needs ``size >= 1``."""
    start = draw(st.integers(0, size - 1))
    return Finding(
        start,
        draw(st.integers(start + 1, size)),
        draw(st.sampled_from(labels)),
        draw(st.sampled_from(list(Origin))),
        draw(st.sampled_from([0.2, 0.5, 1.0])),
    )


@st.composite
def texts_with_findings(
    draw: st.DrawFn, text: st.SearchStrategy[str] = texts, labels: tuple[str, ...] = LABELS
) -> tuple[str, list[Finding]]:
    """Draw a text and findings that nest, overlap, touch and repeat one another."""
    content = draw(text)
    found = draw(st.lists(findings_in(len(content), labels), max_size=6)) if content else []
    return content, found
