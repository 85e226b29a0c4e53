"""lacuna: find entities in text, and take identities out of it."""

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

__version__ = "0.1.0"

__all__ = [
    "ConfigError",
    "CorpusFormatError",
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
]
