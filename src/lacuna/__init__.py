"""lacuna: find entities in text, and take identities out of it.

``lacuna.train``, ``lacuna.load`` and the settings of models are loaded on first use, so that
importing the package stays cheap.
"""

from typing import TYPE_CHECKING, Any

from lacuna.errors import (
    ConfigError,
    CorpusFormatError,
    FormatLimitError,
    InferenceError,
    LacunaError,
    ModelFileError,
    ScoringError,
)
from lacuna.text.document import Document, Mention, Span, Tokens

if TYPE_CHECKING:
    from lacuna.models.crf import Crf
    from lacuna.models.kinds import load
    from lacuna.pipeline.training import train_model as train

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "CorpusFormatError",
    "Crf",
    "Document",
    "FormatLimitError",
    "InferenceError",
    "LacunaError",
    "Mention",
    "ModelFileError",
    "ScoringError",
    "Span",
    "Tokens",
    "__version__",
    "load",
    "train",
]


def __getattr__(name: str) -> Any:
    if name == "Crf":
        from lacuna.models.crf import Crf

        return Crf
    if name == "load":
        from lacuna.models.kinds import load

        return load
    if name == "train":
        from lacuna.pipeline.training import train_model

        return train_model
    raise AttributeError(f"module 'lacuna' has no attribute {name!r}")
