"""The model that comes with lacuna: English clinical notes, labels of i2b2 2014.

``recipes/en_clinical/build.py`` makes it; ``docs/bundled-model.md`` says from what and how good
it is.
"""

from __future__ import annotations

from pathlib import Path

NAME = "en-clinical.lacuna"


def bundled_model() -> Path:
    """Return the file of the bundled model."""
    return Path(__file__).parent.parent / "data" / NAME
