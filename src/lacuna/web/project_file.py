"""``project.toml``: name, labels, policy, model and threshold of a project, to be edited by hand.

::

    name = "Ward 7"
    language = "en"
    policy = "safe-harbor"            # a bundled policy, or a TOML file beside this one
    threshold = 0.5                   # suggestions below this probability are not shown
    model = "bundled"                 # or "none", a name of "lacuna models", or a file beside it
    learn = "auto"                    # or a kind of model, as for lacuna train --model

    [labels]                          # in the order of the page
    PATIENT = { key = "1", colour = "blue" }
    DOCTOR = { key = "Shift+1" }      # without a colour, or a key: the next free one
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lacuna.deid.policy import load_policy, unknown
from lacuna.errors import ConfigError
from lacuna.models.bundled import bundled_models
from lacuna.models.registry import trainable
from lacuna.web.edits import is_label

NAME = "project.toml"
BUNDLED, NO_MODEL = "bundled", "none"
NO_FILES = (BUNDLED, NO_MODEL, *bundled_models())  #: values of ``model`` that are no files
AUTO = "auto"  #: value of ``learn``: adapt the model, or what the mentions need
DIGITS = "1234567890"
KEYS = (*DIGITS, *(f"Shift+{digit}" for digit in DIGITS))
COLOURS = (
    *("blue", "orange", "green", "pink", "purple"),
    *("teal", "red", "amber", "indigo", "olive"),
)
#: Labels of the bundled model and its patterns, the most frequent in notes first; the last have no
#: key. What is not listed in a project is not suggested.
DEFAULT_LABELS = (
    *("PATIENT", "DOCTOR", "DATE", "HOSPITAL", "PHONE", "MEDICALRECORD", "AGE", "CITY", "STREET"),
    *("IDNUM", "STATE", "ZIP", "PROFESSION", "USERNAME", "EMAIL", "ORGANIZATION", "COUNTRY"),
    *(
        "LOCATION-OTHER",
        "URL",
        "FAX",
        "DEPARTMENT",
        "ROOM",
        "SSN",
        "ACCOUNT",
        "HEALTHPLAN",
        "LICENSE",
    ),
    *("VEHICLE", "DEVICE", "BIOID", "IPADDR"),
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_BARE = re.compile("[A-Za-z0-9_-]+")  # a key of TOML that needs no quotes
_SETTINGS = ("name", "language", "policy", "threshold", "model", "learn", "labels")
_OPTIONS = ("key", "colour")


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a project; it has no key if there are more labels than keys."""

    name: str
    key: str | None
    colour: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``project.toml`` says."""

    name: str
    language: str = "en"
    policy: str = "safe-harbor"
    threshold: float = 0.5
    labels: tuple[Label, ...] = ()
    model: str = BUNDLED
    learn: str = AUTO

    def with_labels(self, others: Iterable[str]) -> tuple[Label, ...]:
        """Return the labels, and others that occur in documents, with free keys and colours."""
        given = {label.name: {"key": label.key, "colour": label.colour} for label in self.labels}
        return _completed(given | {name: {} for name in others if name not in given})


def labels_named(names: Iterable[str]) -> tuple[Label, ...]:
    """Return labels with keys and colours in order."""
    return _completed({name: {} for name in names})


def _completed(labels: Mapping[str, Mapping[str, str | None]]) -> tuple[Label, ...]:
    """Give labels the keys and colours they lack: keys once, colours as evenly as possible."""
    taken = {options.get("key") for options in labels.values()}
    free_keys = iter([key for key in KEYS if key not in taken])
    uses = dict.fromkeys(COLOURS, 0)
    for options in labels.values():
        if colour := options.get("colour"):
            uses[colour] += 1
    found = []
    for name, options in labels.items():
        colour = options.get("colour")
        if colour is None:
            colour = min(COLOURS, key=lambda one: uses[one])
            uses[colour] += 1
        key = options.get("key") or next(free_keys, None)
        found.append(Label(name, key, colour))
    return tuple(found)


def written(settings: Settings) -> str:
    """Return the settings as TOML."""
    lines = [
        f"name = {_quoted(settings.name)}",
        f"language = {_quoted(settings.language)}",
        f"policy = {_quoted(settings.policy)}  # a bundled policy, or a TOML file beside this one",
        f"threshold = {settings.threshold}  # suggestions below this probability are not shown",
        f'model = {_quoted(settings.model)}  # or "none", or a model file beside this one',
        f"learn = {_quoted(settings.learn)}  # or a kind of model, as for lacuna train --model",
        "",
        "[labels]  # in the order of the page",
    ]
    for label in settings.labels:
        options = [f"key = {_quoted(label.key)}"] if label.key else []
        options.append(f"colour = {_quoted(label.colour)}")
        name = label.name if _BARE.fullmatch(label.name) else _quoted(label.name)
        lines.append(f"{name} = {{ {', '.join(options)} }}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Return a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# --- reading


def read_settings(path: Path) -> Settings:
    """Read ``project.toml``.

    Raises
    ------
    ConfigError
        Naming the file, the line and the key.
    """
    try:
        return parse_settings(path.read_bytes(), path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error


def parse_settings(content: bytes, path: Path) -> Settings:
    """Return the settings of the content of a file."""
    try:
        source = content.decode()
        table = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    return _Checked(path, source).settings(table)


class _Checked:
    """Checks values, and says in which line a wrong one is."""

    def __init__(self, path: Path, source: str) -> None:
        self._path = path
        self._lines = source.splitlines()

    def settings(self, table: dict[str, Any]) -> Settings:
        for key in table:
            if key not in _SETTINGS:
                raise self._error(unknown("setting", key, _SETTINGS), key)
        name = self._text(table, "name", "")
        if not name.strip() or not name.isprintable():
            raise self._error("must have 1 or more printable characters", "name")
        language = self._text(table, "language", "en")
        if not _LANGUAGE.fullmatch(language):
            raise self._error('must be a language tag, e.g. "en" or "de-CH"', "language")
        threshold = table.get("threshold", 0.5)
        is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
        if not is_number or not 0.0 <= threshold <= 1.0:
            raise self._error("must be a number from 0 to 1", "threshold")
        policy = self._policy(self._text(table, "policy", "safe-harbor"))
        model = self._model(self._text(table, "model", BUNDLED))
        learn = self._text(table, "learn", AUTO)
        known = (AUTO, *trainable())
        if learn not in known:
            raise self._error(unknown("kind of model", learn, known), "learn")
        labels = self._labels(table)
        return Settings(name, language, policy, float(threshold), labels, model, learn)

    def _text(self, table: dict[str, Any], key: str, default: str) -> str:
        value = table.get(key, default)
        if not isinstance(value, str):
            raise self._error("must be a string in quotes", key)
        return value

    def _policy(self, policy: str) -> str:
        try:
            load_policy(self._path.parent / policy if policy.endswith(".toml") else policy)
        except ConfigError as error:
            raise self._error(str(error), "policy") from None
        return policy

    def _model(self, model: str) -> str:
        if model not in NO_FILES and not (self._path.parent / model).is_file():
            known = ", ".join(f'"{name}"' for name in NO_FILES) + " or a file"
            raise self._error(
                f"{self._path.parent / model}: no such file; expected {known}", "model"
            )
        return model

    def _labels(self, table: dict[str, Any]) -> tuple[Label, ...]:
        labels = table.get("labels", {})
        if not isinstance(labels, dict):
            raise self._error("must be a table", "labels")
        keys: dict[str, str] = {}
        for name, options in labels.items():
            if not is_label(name):
                raise self._error("is no label: printable characters, no spaces at its ends", name)
            if not isinstance(options, dict):
                raise self._error('must be a table, e.g. { key = "1", colour = "blue" }', name)
            for option, value in options.items():
                self._check_option(name, option, value)
            key = options.get("key")
            if key in keys:
                raise self._error(f"key {key} is that of {keys[key]} already", name)
            if key is not None:
                keys[key] = name
        return _completed(labels)

    def _check_option(self, label: str, option: str, value: object) -> None:
        if option not in _OPTIONS:
            raise self._error(unknown("option", option, _OPTIONS), label)
        if option == "key" and value not in KEYS:
            raise self._error('key must be "0" to "9" or "Shift+0" to "Shift+9"', label)
        if option == "colour" and value not in COLOURS:
            raise self._error(f"colour must be one of {', '.join(COLOURS)}", label)

    def _error(self, reason: str, key: str) -> ConfigError:
        """Return an error at the line where a key is set."""
        begins = re.compile(
            rf"""\s*(?:\[\s*(?:labels\s*\.\s*)?)?["']?{re.escape(key)}["']?\s*[=.\]]"""
        )
        numbers = (n for n, line in enumerate(self._lines, start=1) if begins.match(line))
        line = next(numbers, None)
        place = f"{self._path}:{line}" if line else str(self._path)
        return ConfigError(f"{place}: {key}: {reason}")
