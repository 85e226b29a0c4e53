"""Opening model files: the code of a kind of model is imported only when a file holds one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lacuna.encoding.parts import Heuristic
from lacuna.errors import ConfigError, ModelFileError
from lacuna.io.source import Task
from lacuna.models.storage import StoredModel, read_model, stored_part

if TYPE_CHECKING:
    from lacuna.models.kinds import Model

#: Module and function that make a model of the content of a file, by the kind the file names.
RESTORE: Mapping[str, tuple[str, str]] = {
    "crf": ("lacuna.models.crf_storage", "restore_crf"),
    "li": ("lacuna.models.crf_storage", "restore_li"),
    "two-pass": ("lacuna.models.two_pass", "restore_two_pass"),
    "trigram-hmm": ("lacuna.models.trigram_hmm_storage", "restore_trigram_hmm"),
    "ppm-hmm": ("lacuna.models.ppm_hmm_storage", "restore_ppm_hmm"),
    "class-hmm": ("lacuna.models.class_hmm_storage", "restore_class_hmm"),
    "dp-hmm": ("lacuna.models.dp_hmm_storage", "restore_dp_hmm"),
    "shared": ("lacuna.models.hypergraph_storage", "restore_hypergraph"),
    "split": ("lacuna.models.hypergraph_storage", "restore_hypergraph"),
    "with-pos": ("lacuna.models.with_pos", "restore_with_pos"),
    "with-rules": ("lacuna.models.with_rules", "restore_with_rules"),
    "aligned": ("lacuna.models.aligned_storage", "restore_aligned"),
}


def load(
    path: str | Path,
    *,
    task: Task | None = None,
    align: bool = True,
    heuristic: Heuristic | None = None,
) -> Model:
    """Open a model file.

    Parameters
    ----------
    path
        The file, ``*.lacuna``.
    task
        What the model must be for, where given.
    align
        Whether a model that aligns does so; else it is the tagger alone.
    heuristic
        How mentions with gaps are read off what the model says; as it was trained to where not
        given.
    """
    stored = read_model(Path(path))
    if stored.kind == "aligned" and not align:
        stored = stored_part(stored, "tagger")
    model = restore(stored)
    if task not in (None, model.task):
        raise ConfigError(f"{path} is a model for the task {model.task}, not {task}")
    if heuristic is not None:
        model = with_heuristic(model, heuristic)
    return model


def with_heuristic(model: Any, heuristic: Heuristic) -> Any:
    """Return a model of mentions with gaps, or one around it, that reads them off another way."""
    if hasattr(model, "tagger"):
        return replace(model, tagger=with_heuristic(model.tagger, heuristic))
    if not hasattr(model.config, "heuristic"):
        raise ConfigError(f"a {model.kind} model finds no mentions with gaps: it has no heuristic")
    return replace(model, config=replace(model.config, heuristic=heuristic))


def restore(stored: StoredModel) -> Model:
    """Make the model that a file holds."""
    if stored.kind not in RESTORE:
        raise ModelFileError(stored.source, f"holds a model of the unknown kind {stored.kind!r}")
    module, function = RESTORE[stored.kind]
    model: Model = getattr(import_module(module), function)(stored)
    return model
