"""Rules as TOML, to edit by hand, and as JSON values in a model file.

    [[LOCATION]]
    when = [{ before = "works" }, { inside = ["hospital", "clinic"] }]
    label = "HOSPITAL"

    [[LOCATION]]
    label = "CITY"

The first rule of a category that holds gives the label; a list matches any of its words.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lacuna.errors import ConfigError
from lacuna.models.with_rules.rules import CLASSES, PLACES, Condition, Rule, Rules

_HEADING = """\
# Labels within large categories. The first rule of a category that holds gives the label.
# A condition: the word "before", "inside" or "after" (at most three tokens away, in lower case),
# or the "class" of the mention: {classes}.
# A list matches any of its words. "mentions" and "right" are counts of training, for people.
"""


def write_rules(rules: Rules) -> str:
    """Return rules as the text of a TOML file."""
    return _HEADING.format(classes=", ".join(CLASSES)) + "".join(
        f"\n{text}\n"
        for category, own in sorted(rules.items())
        for text in (_rule_text(category, rule) for rule in own)
    )


def _rule_text(category: str, rule: Rule) -> str:
    lines = [f"[[{_quoted(category)}]]"]
    if rule.when:
        lines.append(f"when = [{', '.join(map(_condition_text, rule.when))}]")
    lines.append(f"label = {_quoted(rule.label)}")
    if rule.mentions:
        lines.append(f"mentions = {rule.mentions}\nright = {rule.right}")
    return "\n".join(lines)


def _condition_text(condition: Condition) -> str:
    words = [_quoted(word) for word in condition.words]
    value = words[0] if len(words) == 1 else f"[{', '.join(words)}]"
    return f"{{ {condition.place} = {value} }}"


def _quoted(text: str) -> str:
    """Return a TOML string: JSON, and DEL, which TOML escapes as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_rules(path: Path) -> Rules:
    """Read rules from a TOML file."""
    try:
        table = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    try:
        return rules_from_values(table)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None


def rules_as_values(rules: Rules) -> dict[str, list[dict[str, Any]]]:
    """Return rules as JSON values, in the form of the tables of the TOML file."""
    return {
        category: [
            {
                "when": [{condition.place: list(condition.words)} for condition in rule.when],
                "label": rule.label,
                "mentions": rule.mentions,
                "right": rule.right,
            }
            for rule in own
        ]
        for category, own in rules.items()
    }


def rules_from_values(table: object) -> Rules:
    """Read rules from the values of a file; a ValueError says which rule is wrong."""
    if not isinstance(table, dict):
        raise ValueError("rules must be tables by category")
    rules = {}
    for category, own in table.items():
        if not category or not isinstance(own, list):
            raise ValueError(f"{category}: expected rules, each under [[{category}]]")
        rules[category] = tuple(
            _rule(entry, f"{category}, rule {number}") for number, entry in enumerate(own, start=1)
        )
    return rules


def _rule(entry: object, where: str) -> Rule:
    if not isinstance(entry, dict) or entry.keys() - {"when", "label", "mentions", "right"}:
        raise ValueError(f"{where}: expected when, label, mentions and right")
    label, when = entry.get("label"), entry.get("when", [])
    counts = [entry.get(name, 0) for name in ("mentions", "right")]
    if not isinstance(label, str) or not label:
        raise ValueError(f"{where}: a rule needs a label in quotes")
    if not isinstance(when, list) or not all(type(n) is int and n >= 0 for n in counts):
        raise ValueError(f"{where}: when is a list of conditions, mentions and right are counts")
    conditions = [pair for part in when for pair in _conditions(part, where)]
    return Rule(label, tuple(conditions), *counts)


def _conditions(part: object, where: str) -> Iterator[Condition]:
    """Yield the conditions of one inline table, all of which must hold."""
    if not isinstance(part, Mapping):
        raise ValueError(f'{where}: a condition is written {{ before = "word" }}')
    for place, value in part.items():
        words = [value] if isinstance(value, str) else value
        if place not in PLACES:
            raise ValueError(f"{where}: unknown place {place!r}; known are {', '.join(PLACES)}")
        if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
            raise ValueError(f"{where}: {place} takes a word in quotes, or a list of them")
        if place == "class" and not set(words) <= set(CLASSES):
            raise ValueError(f"{where}: unknown class; known are {', '.join(CLASSES)}")
        yield Condition(place, tuple(word.lower() for word in words))
