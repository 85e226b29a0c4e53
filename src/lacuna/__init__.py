"""lacuna: find entities in text and de-identify it.

    import lacuna

    safe = lacuna.deidentify("Seen by Dr. Whittaker on 03/14/2014.")
    model = lacuna.train(lacuna.read("notes/"), lacuna.Crf(iterations=30))
    model.tag("Call Ana Sato.").mentions

* De-identify: Deidentifier, deidentify; Key, create_key, read_key, load_policy.
* Train and tag: train, load, save, and the settings of models, e.g. Crf.
* Documents: Document, Mention, read, write, from_bio, tokens.
* Measure: evaluate.

docs/python.md shows all of it by examples. Most names are imported on first use, so that importing
the package stays fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lacuna.errors import (
    ConfigError,
    CorpusFormatError,
    EditError,
    FormatLimitError,
    InferenceError,
    LacunaError,
    ModelFileError,
    ModelFileWarning,
    RedactionError,
    ScoringError,
    StoppedError,
    VaultError,
)
from lacuna.version import __version__

if TYPE_CHECKING:
    from lacuna.deid.detection_options import DetectionOptions
    from lacuna.deid.keys import Key, create_key, read_key
    from lacuna.deid.policy import Policy, load_policy
    from lacuna.deid.redact import Redacted
    from lacuna.deid.scope import Consistency
    from lacuna.io.conll import from_bio
    from lacuna.io.files import read, write
    from lacuna.io.limits import Loss
    from lacuna.models.answers import save
    from lacuna.models.base import Card, Tagger
    from lacuna.models.class_hmm import ClassHmm
    from lacuna.models.crf import Crf
    from lacuna.models.crf.li import Li
    from lacuna.models.dp_hmm import DpHmm
    from lacuna.models.hypergraph import Shared, Split
    from lacuna.models.ppm_hmm import PpmHmm
    from lacuna.models.registry import load
    from lacuna.models.trigram_hmm import TrigramHmm
    from lacuna.pipeline.deidentify import Deidentifier, deidentify
    from lacuna.pipeline.detect_and_redact import Failed, Safe
    from lacuna.pipeline.evaluate import evaluate
    from lacuna.pipeline.training import train_model as train
    from lacuna.pipeline.training_records import Progress
    from lacuna.text.document import Document, Mention, Span, Tokens
    from lacuna.text.tokens import tokens_of as tokens
    from lacuna.types import Task


__all__ = [
    "Card",
    "ClassHmm",
    "ConfigError",
    "Consistency",
    "CorpusFormatError",
    "Crf",
    "Deidentifier",
    "DetectionOptions",
    "Document",
    "DpHmm",
    "EditError",
    "Failed",
    "FormatLimitError",
    "InferenceError",
    "Key",
    "LacunaError",
    "Li",
    "Loss",
    "Mention",
    "ModelFileError",
    "ModelFileWarning",
    "Policy",
    "PpmHmm",
    "Progress",
    "Redacted",
    "RedactionError",
    "Safe",
    "ScoringError",
    "Shared",
    "Span",
    "Split",
    "StoppedError",
    "Tagger",
    "Task",
    "Tokens",
    "TrigramHmm",
    "VaultError",
    "__version__",
    "create_key",
    "deidentify",
    "evaluate",
    "from_bio",
    "load",
    "load_policy",
    "read",
    "read_key",
    "save",
    "tokens",
    "train",
    "write",
]

_ON_FIRST_USE = {
    "Card": ("lacuna.models.base", "Card"),
    "ClassHmm": ("lacuna.models.class_hmm", "ClassHmm"),
    "Consistency": ("lacuna.deid.scope", "Consistency"),
    "Crf": ("lacuna.models.crf", "Crf"),
    "Deidentifier": ("lacuna.pipeline.deidentify", "Deidentifier"),
    "DetectionOptions": ("lacuna.deid.detection_options", "DetectionOptions"),
    "Document": ("lacuna.text.document", "Document"),
    "DpHmm": ("lacuna.models.dp_hmm", "DpHmm"),
    "Failed": ("lacuna.pipeline.detect_and_redact", "Failed"),
    "Key": ("lacuna.deid.keys", "Key"),
    "Li": ("lacuna.models.crf.li", "Li"),
    "Loss": ("lacuna.io.limits", "Loss"),
    "Mention": ("lacuna.text.document", "Mention"),
    "Policy": ("lacuna.deid.policy", "Policy"),
    "PpmHmm": ("lacuna.models.ppm_hmm", "PpmHmm"),
    "Progress": ("lacuna.pipeline.training_records", "Progress"),
    "Redacted": ("lacuna.deid.redact", "Redacted"),
    "Safe": ("lacuna.pipeline.detect_and_redact", "Safe"),
    "Shared": ("lacuna.models.hypergraph", "Shared"),
    "Span": ("lacuna.text.document", "Span"),
    "Split": ("lacuna.models.hypergraph", "Split"),
    "Tagger": ("lacuna.models.base", "Tagger"),
    "Task": ("lacuna.types", "Task"),
    "Tokens": ("lacuna.text.document", "Tokens"),
    "TrigramHmm": ("lacuna.models.trigram_hmm", "TrigramHmm"),
    "create_key": ("lacuna.deid.keys", "create_key"),
    "deidentify": ("lacuna.pipeline.deidentify", "deidentify"),
    "evaluate": ("lacuna.pipeline.evaluate", "evaluate"),
    "from_bio": ("lacuna.io.conll", "from_bio"),
    "load": ("lacuna.models.registry", "load"),
    "load_policy": ("lacuna.deid.policy", "load_policy"),
    "read": ("lacuna.io.files", "read"),
    "read_key": ("lacuna.deid.keys", "read_key"),
    "save": ("lacuna.models.answers", "save"),
    "tokens": ("lacuna.text.tokens", "tokens_of"),
    "train": ("lacuna.pipeline.training", "train_model"),
    "write": ("lacuna.io.files", "write"),
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'lacuna' has no attribute {name!r}")
    module, attribute = _ON_FIRST_USE[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
