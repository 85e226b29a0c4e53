"""The models that come with lacuna, by name. This module is cheap to import.

``recipes/`` trains them, ``docs/bundled-model.md`` describes them. Wherever a command or
:func:`lacuna.load` takes a model file, it also takes the name of a bundled model; a file in the
working folder that has the same name is written ``./en-clinical``.
"""

from __future__ import annotations

from pathlib import Path

BUNDLED = "en-clinical"  #: used by default
FOLDER = Path(__file__).parent.parent / "data"


def bundled_models() -> dict[str, Path]:
    """Return the files of all bundled models, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.lacuna"))}


def bundled_model(name: str = BUNDLED) -> Path:
    """Return the path of a bundled model, by default of the one for English clinical notes."""
    return FOLDER / f"{name}.lacuna"


def model_path(model: str | Path) -> Path:
    """Return the file of a model that is named by a path or is a bundled one's name."""
    return bundled_models().get(str(model), Path(model))
