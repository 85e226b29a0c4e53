r"""A policy: what is done with each kind of identifier, written as TOML.

::

    base = "research"                 # optional: start from a bundled policy
    default = "mask"                  # for all other labels, and if an action is not possible

    [actions]                         # by kind
    person = "surrogate"
    date = { action = "shift", weeks = true }

    [labels]                          # by label, before kinds
    DOCTOR = "keep"

    [kinds]                           # of your own labels
    TIERNAME = "person"

    [categories]                      # what tags call them
    TIERNAME = "NAME"

    [patterns.study-number]           # the form of your own identifiers
    pattern = 'ST-\d{6}'
    label = "IDNUM"

:func:`policies` lists the bundled ones; ``docs/policies.md`` shows them label by label.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec

from lacuna.deid.actions import ACTIONS, Action, Hiding, Shift, Surrogate
from lacuna.deid.kinds import IdentifierKind, known_categories, known_kinds
from lacuna.errors import ConfigError

_FOLDER = Path(__file__).parent / "policies"
_TABLES = ("actions", "labels", "kinds", "categories", "patterns")
_KEYS = ("base", "description", "default", *_TABLES)


class UserPattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of the user, in RE2's syntax, and the label of what it finds."""

    pattern: str
    label: str


class Policy(msgspec.Struct, frozen=True):
    """What is done with each label.

    Attributes
    ----------
    name
        Of a bundled policy, or the file it was read from.
    default
        For labels that are not listed, and if another action is not possible; it always hides.
    actions, labels
        Action by kind, and by label; labels take precedence.
    kinds
        Label → kind, in addition to :func:`~lacuna.deid.kinds.known_kinds`.
    categories
        Label → what tags call it, in addition to :func:`~lacuna.deid.kinds.known_categories`.
    patterns
        Patterns of the user, by name.
    description
        One line.
    """

    name: str
    default: Hiding
    actions: dict[IdentifierKind, Action] = {}
    labels: dict[str, Action] = {}
    kinds: dict[str, IdentifierKind] = {}
    categories: dict[str, str] = {}
    patterns: dict[str, UserPattern] = {}
    description: str = ""

    def kind(self, label: str) -> IdentifierKind:
        """Return the kind of a label; ``other`` if it is unknown."""
        return self.kinds.get(label) or known_kinds().get(label, IdentifierKind.OTHER)

    def category(self, label: str) -> str:
        """Return what tags call a label."""
        return self.categories.get(label) or known_categories().get(label, label)

    def action(self, label: str) -> Action:
        """Return what is done with a label."""
        chosen = self.labels.get(label) or self.actions.get(self.kind(label))
        return self.default if chosen is None else chosen

    @property
    def needs_key(self) -> bool:
        """Whether what is written depends on a secret key."""
        actions = (*self.actions.values(), *self.labels.values())
        return any(isinstance(action, Surrogate | Shift) for action in actions)

    @property
    def digest(self) -> str:
        """SHA-256 of everything but name and description, in hexadecimal."""
        what = msgspec.structs.replace(self, name="", description="")
        return hashlib.sha256(msgspec.json.encode(what, order="deterministic")).hexdigest()


@cache
def policies() -> Mapping[str, str]:
    """Return the bundled policies: name → one-line summary."""
    return {path.stem: _read(path)["description"] for path in sorted(_FOLDER.glob("*.toml"))}


def load_policy(name: str | Path) -> Policy:
    """Return a bundled policy by its name, or read one from a TOML file.

    Raises
    ------
    ConfigError
        Naming the file, what is wrong in it, and the nearest known name for an unknown one.
    """
    if str(name) in policies():
        return _policy(str(name), _read(_FOLDER / f"{name}.toml"))
    path = Path(name)
    if not path.exists() and path.suffix != ".toml":
        raise ConfigError(unknown("policy", str(name), policies()))
    table = _read(path)
    base = table.pop("base", None)
    if base is not None:
        if base not in policies():
            raise ConfigError(f"{path}: base: {unknown('policy', str(base), policies())}")
        table = _over(table, _read(_FOLDER / f"{base}.toml"))
    return _policy(str(path), table)


def _read(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    for key, value in table.items():
        if key not in _KEYS:
            raise ConfigError(f"{path}: {unknown('key', key, _KEYS)}")
        if key in _TABLES and not isinstance(value, dict):
            raise ConfigError(f"{path}: {key} must be a table")
    return table


def _over(table: dict[str, Any], base: dict[str, Any]) -> dict[str, Any]:
    """Return `base` updated with the entries of `table`."""
    merged = {**base, **table}
    for name in _TABLES:
        if name in base and name in table:
            merged[name] = {**base[name], **table[name]}
    return merged


def _policy(name: str, table: Mapping[str, Any]) -> Policy:
    if "default" not in table:
        raise ConfigError(
            f"{name}: default is missing: the action for all labels that are not listed"
        )
    actions, kinds, known = table.get("actions", {}), table.get("kinds", {}), list(IdentifierKind)
    for place, entries in (("actions", actions), ("kinds", {v: k for k, v in _texts(kinds)})):
        for kind in entries:
            if kind not in known:
                raise ConfigError(f"{name}: [{place}]: {unknown('kind', kind, known)}")
    default = _action(f"{name}: default", table["default"])
    if not isinstance(default, get_args(Hiding)):
        raise ConfigError(f"{name}: default: must be mask, tag or drop, which hide anything")
    rest = {
        key: table[key]
        for key in ("kinds", "categories", "patterns", "description")
        if key in table
    }
    for pattern, entry in rest.get("patterns", {}).items():
        _check_fields(f"{name}: [patterns.{pattern}]", entry, UserPattern)
    try:
        return msgspec.convert(
            {
                "name": name,
                "default": msgspec.to_builtins(default),
                "actions": _actions(f"{name}: [actions]", actions),
                "labels": _actions(f"{name}: [labels]", table.get("labels", {})),
                **rest,
            },
            Policy,
        )
    except msgspec.ValidationError as error:
        raise ConfigError(f"{name}: {error}") from None


def _texts(entries: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ((key, value) for key, value in entries.items() if isinstance(value, str))


def _actions(place: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: msgspec.to_builtins(_action(f"{place} {key}", value)) for key, value in entries.items()
    }


def _action(place: str, value: Any) -> Action:
    """Read ``"mask"`` or ``{ action = "mask", character = "*" }``."""
    entry = {"action": value} if isinstance(value, str) else value
    if not isinstance(entry, dict) or not isinstance(entry.get("action"), str):
        raise ConfigError(f'{place}: expected "mask" or {{ action = "mask", … }}')
    chosen = ACTIONS.get(entry["action"])
    if chosen is None:
        raise ConfigError(f"{place}: {unknown('action', entry['action'], ACTIONS)}")
    _check_fields(place, {k: v for k, v in entry.items() if k != "action"}, chosen)
    try:
        return msgspec.convert(entry, chosen)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{place}: {error}") from None


def _check_fields(place: str, entry: Any, record: type[msgspec.Struct]) -> None:
    if not isinstance(entry, dict):
        raise ConfigError(f"{place}: must be a table")
    for key in entry:
        if key not in record.__struct_fields__:
            raise ConfigError(f"{place}: {unknown('option', key, record.__struct_fields__)}")


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return a message about an unknown name, with the nearest known one."""
    names = [str(one) for one in known]
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names) or 'none'}"
    return f"unknown {what} {name}; {hint}"
