"""lacuna: find entities in text and de-identify it.

``lacuna.train``, ``lacuna.load``, ``lacuna.deidentify`` and the settings of models are imported on
first use, so that importing the package stays fast.
"""

from importlib import import_module
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
from lacuna.version import __version__

if TYPE_CHECKING:
    from lacuna.models.base import Card
    from lacuna.models.class_hmm import ClassHmm
    from lacuna.models.crf import Crf
    from lacuna.models.crf.li import Li
    from lacuna.models.dp_hmm import DpHmm
    from lacuna.models.hypergraph import Shared, Split
    from lacuna.models.ppm_hmm import PpmHmm
    from lacuna.models.registry import load
    from lacuna.models.trigram_hmm import TrigramHmm
    from lacuna.pipeline.deidentify import deidentify
    from lacuna.pipeline.training import train_model as train


__all__ = [
    "Card",
    "ClassHmm",
    "ConfigError",
    "CorpusFormatError",
    "Crf",
    "Document",
    "DpHmm",
    "FormatLimitError",
    "InferenceError",
    "LacunaError",
    "Li",
    "Mention",
    "ModelFileError",
    "PpmHmm",
    "ScoringError",
    "Shared",
    "Span",
    "Split",
    "Tokens",
    "TrigramHmm",
    "__version__",
    "deidentify",
    "load",
    "train",
]


_ON_FIRST_USE = {
    "Card": ("lacuna.models.base", "Card"),
    "ClassHmm": ("lacuna.models.class_hmm", "ClassHmm"),
    "Crf": ("lacuna.models.crf", "Crf"),
    "DpHmm": ("lacuna.models.dp_hmm", "DpHmm"),
    "Li": ("lacuna.models.crf.li", "Li"),
    "PpmHmm": ("lacuna.models.ppm_hmm", "PpmHmm"),
    "Shared": ("lacuna.models.hypergraph", "Shared"),
    "Split": ("lacuna.models.hypergraph", "Split"),
    "TrigramHmm": ("lacuna.models.trigram_hmm", "TrigramHmm"),
    "deidentify": ("lacuna.pipeline.deidentify", "deidentify"),
    "load": ("lacuna.models.registry", "load"),
    "train": ("lacuna.pipeline.training", "train_model"),
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'lacuna' has no attribute {name!r}")
    module, attribute = _ON_FIRST_USE[name]
    return getattr(import_module(module), attribute)
