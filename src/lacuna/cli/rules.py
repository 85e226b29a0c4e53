"""The rules of a model of large categories, as tables and as a file: part of ``lacuna inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lacuna.cli.console import print_table, printable, say
from lacuna.errors import ConfigError
from lacuna.io.writing import whole_file

if TYPE_CHECKING:
    from lacuna.models.registry import Model
    from lacuna.models.with_rules.rules import Rule, Rules


def rules_of(model: Model) -> Rules:
    """Return the rules of a model; none where it finds labels directly."""
    from lacuna.models.aligned import AlignedModel
    from lacuna.models.with_rules import WithRules

    tagger = model.tagger if isinstance(model, AlignedModel) else model
    return tagger.rules if isinstance(tagger, WithRules) else {}


def rule_words(rules: Rules) -> list[str]:
    """Return the words that rules ask for."""
    conditions = [part for own in rules.values() for rule in own for part in rule.when]
    words = [word for part in conditions if part.place != "class" for word in part.words]
    return list(dict.fromkeys(words))


def save_rules(rules: Rules, path: Path) -> None:
    """Write rules as a TOML file."""
    from lacuna.models.with_rules.file import write_rules

    if not rules:
        raise ConfigError("the model has no rules; train it with --set level=category")
    with whole_file(path) as stream:
        stream.write(write_rules(rules).encode())
    say(f"rules → {path}")


def show_rules(rules: Rules) -> None:
    """Print the rules of each category; the first that holds gives the label."""
    for category, own in sorted(rules.items()):
        title = f"{printable(category)}: the first rule that holds gives the label"
        print_table(title, ("when", "label", "right of"), [_row(rule) for rule in own])


def _row(rule: Rule) -> tuple[str, str, str]:
    when = " and ".join(f"{part.place} {' or '.join(part.words)}" for part in rule.when)
    counts = f"{rule.right:,} of {rule.mentions:,}" if rule.mentions else ""
    return printable(when or "otherwise"), printable(rule.label), counts
