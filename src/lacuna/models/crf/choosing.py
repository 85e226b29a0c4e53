"""Settings that the documents choose: ``features=auto`` and ``sequence=auto``.

In forms an identifier is on a line like ``Surname: Roe``. The clinical preset looks at such headers
and at the layout, and mentions there contain stops, which a line does not end with. In running text
both would only cost time. So the share of mentions after a ``Label:`` chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lacuna.features.presets import AUTO
from lacuna.models.crf import CrfSettings
from lacuna.models.settings import Chosen
from lacuna.text.document import Document
from lacuna.text.forms import share_in_forms
from lacuna.text.sequences import SequenceKind

#: At least this share of mentions after a ``Label:`` makes a corpus one of forms. Corpora of news,
#: articles, reviews and references have up to 0.05, most notes 0.2 and more, MEDDOCAN 0.95.
FORMS = 0.2


def chosen_settings(config: CrfSettings, documents: Sequence[Document]) -> Chosen:
    """Return the settings with the features and sequences that suit the documents."""
    changes: dict[str, Any] = {}
    share = share_in_forms(documents)
    is_form = share >= FORMS
    if config.features == AUTO:
        changes["features"] = "clinical" if is_form else "default"
    if config.sequence is SequenceKind.AUTO:
        changes["sequence"] = SequenceKind.LINE if is_form else SequenceKind.SENTENCE
    if not changes:
        return Chosen(config)
    what = ", ".join(f"{name}={value}" for name, value in changes.items())
    remark = f"{what}: {share:.0%} of the mentions follow a label and a colon on their line"
    return Chosen(replace(config, **changes), remark)
