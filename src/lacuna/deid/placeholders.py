"""Placeholders that are in a text already: ``[NAME-1]``, written by somebody else.

If it stayed, ``[NAME-1]`` could be two people. So a placeholder that has the form of a tag of the
policy gets a number of its own, like an identifier, whatever else was found in it. Text in brackets
that the policy is not known to write (``[COVID-19]``) stays, and no tag gets its number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lacuna.deid.actions import Tag
from lacuna.deid.findings import Finding, Origin
from lacuna.deid.kinds import known_categories, known_kinds
from lacuna.deid.policy import Policy
from lacuna.deid.scope import Scope

#: Label of a placeholder in a plan; no model has it.
PLACEHOLDER = "[placeholder]"
_FORM = re.compile(r"\[([^\[\]\r\n]{1,100})-([1-9][0-9]{0,15}+)\]")


def tag_names(policy: Policy) -> frozenset[str]:
    """Return the names in numbered tags of all labels that a policy knows."""
    labels = {
        *(*known_kinds(), *known_categories(), *policy.labels, *policy.kinds, *policy.categories),
        *(pattern.label for pattern in policy.patterns.values()),
    }
    return frozenset(
        action.name(label, policy.category(label))
        for label in labels
        for action in (policy.action(label), policy.default)
        if isinstance(action, Tag) and action.numbered
    )


def find_placeholders(text: str, names: frozenset[str], scope: Scope) -> list[Finding]:
    """Return the placeholders in the form of tags; the numbers of others are reserved."""
    if "[" not in text:
        return []
    found = []
    for match in _FORM.finditer(text):
        if match[1] in names or scope.has_tag(match[1]):
            found.append(Finding(*match.span(), PLACEHOLDER, Origin.PATTERN))
        else:
            scope.reserve(match[1], int(match[2]))
    return found


def placeholder_name(placeholder: str) -> str:
    """Return the name in a placeholder."""
    return placeholder[1:].rpartition("-")[0]


def with_placeholders(
    text: str, plan: Sequence[Finding], placeholders: Sequence[Finding]
) -> list[Finding]:
    """Return a plan in which placeholders are spans of their own; others are cut around them."""
    whole: list[Finding] = [*placeholders]
    first = 0  # the first placeholder that does not end before the span
    for span in plan:
        start, end = span[:2]
        while first < len(placeholders) and placeholders[first].end <= start:
            first += 1
        while first < len(placeholders) and placeholders[first].start < end:
            whole += _rest(text, span, start, placeholders[first].start)
            start = placeholders[first].end
            if start > end:  # it goes on in the next span
                break
            first += 1
        whole += [span] if start == span.start else _rest(text, span, start, end)
    return sorted(whole)


def _rest(text: str, span: Finding, start: int, end: int) -> list[Finding]:
    """Return a part of a span without white space at its ends, if it has a letter or digit."""
    rest = text[start:end]
    if not any(map(str.isalnum, rest)):
        return []
    start += len(rest) - len(rest.lstrip())
    return [span._replace(start=start, end=start + len(rest.strip()))]
