"""Redacting a document: findings in, de-identified text out.

::

    findings → plan (resolution) → replacements (policy, scope) → new text and offsets (rewriting)

Findings whose label is kept are removed first, so that what another detector found inside them is
still hidden. Placeholders in the text that look like our tags get numbers of their own. If an
action is not possible, the policy's default is used, which always hides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lacuna.deid.actions import Surrogate
from lacuna.deid.date_cells import DateCell, DateCells
from lacuna.deid.dates.order import (
    NO_EVIDENCE,
    Order,
    OrderCounts,
    OrderEvidence,
    decide,
    locale_order,
    order_evidence,
    outermost,
)
from lacuna.deid.findings import Finding
from lacuna.deid.keys import Key
from lacuna.deid.kinds import IdentifierKind
from lacuna.deid.placeholders import (
    PLACEHOLDER,
    find_placeholders,
    tag_names,
    with_placeholders,
)
from lacuna.deid.policy import Policy
from lacuna.deid.replacing import Replacing, ReplacingSettings, Rules, Surfaces
from lacuna.deid.resolution import resolve
from lacuna.deid.rewriting import OffsetMap, offset_map, rewrite
from lacuna.deid.scope import Consistency, Scope
from lacuna.deid.surrogates.pools import known_locale
from lacuna.errors import RedactionError
from lacuna.text.document import Document


@dataclass(frozen=True, slots=True)
class Redacted:
    """A document without identifiers.

    Attributes
    ----------
    document
        The new text under the same id and group; metadata, mentions and tokens are left out.
    plan
        What was replaced: spans of the original text with their labels.
    instead
        What is there now.
    counts
        Number of replacements by label.
    fallbacks
        How many of them the default action hid, because the label's own was not possible.
    placeholders
        How many placeholders of the original, such as ``[NAME-1]``, have a number of their own now;
        they are in the plan, but not in the counts.
    orders
        Whether its numeric dates contradict one another or the locale, and how many were hidden.
    is_over_89
        Whether it states an age over 89.
    order
        In which its numeric dates were read.
    """

    document: Document
    plan: tuple[Finding, ...]
    instead: tuple[str, ...]
    counts: Mapping[str, int]
    fallbacks: Mapping[str, int]
    placeholders: int
    orders: OrderCounts
    is_over_89: bool
    order: Order

    @property
    def offsets(self) -> OffsetMap:
        """Where every character went."""
        return offset_map(_placed(self.plan, self.instead))


class Redactor:
    """Redacts documents by a policy, and remembers what it wrote for each patient.

    Parameters
    ----------
    policy
        What is done with each label.
    key
        The secret that decides surrogates and date offsets; the same key gives the same ones.
    consistency
        Where equal identifiers get equal replacements. Date offsets are always per patient.
    locale
        Decides the names of surrogates, and the order of numeric dates if nothing else tells it:
        ``en``, ``de_AT`` …
    """

    def __init__(
        self,
        policy: Policy,
        key: Key,
        *,
        consistency: Consistency = Consistency.PATIENT,
        locale: str = "en",
    ) -> None:
        actions = (*policy.actions.values(), *policy.labels.values())
        if any(isinstance(action, Surrogate) for action in actions):
            known_locale(locale)
        self._settings = ReplacingSettings(
            policy,
            key,
            Consistency(consistency),
            locale,
            Rules(policy),
            Surfaces(locale),
        )
        self.reads_order = policy.needs_key  #: whether dates may be shifted
        self._tag_names = tag_names(policy)
        self._date_cells = DateCells(policy.action("DATE"), key, self._settings.surfaces)
        self._scopes: dict[tuple[str, str], Scope] = {}

    @property
    def policy(self) -> Policy:
        """What is done with each label."""
        return self._settings.policy

    def redact(
        self, document: Document, findings: Iterable[Finding], *, order: Order | None = None
    ) -> Redacted:
        """Return the document with all findings replaced.

        To get the same numbers in tags, documents of a patient must come in the same order.

        Parameters
        ----------
        document, findings
            What to redact.
        order
            How numeric dates are read (:meth:`order`); if not given, the dates of this document
            decide, then the locale. A policy's own order takes precedence.

        Raises
        ------
        RedactionError
            If a finding is outside the text.
        """
        findings = list(findings)
        rules = self._settings.rules
        for label in {finding.label for finding in findings}:
            rules[label]
        found = [f for f in findings if f.label not in rules.kept] if rules.kept else findings
        evidence = self.order_evidence(document, found)
        order = order or self.order(evidence)
        scope = self._scope(document)
        replacing = Replacing(self._settings, document, scope, order)
        try:
            plan = resolve(document.text, found, lenient=rules.lenient)
            placeholders = find_placeholders(document.text, self._tag_names, scope)
            if placeholders:
                plan = with_placeholders(document.text, plan, placeholders)
            instead = replacing.replacements(plan)
            new = rewrite(document.text, _placed(plan, instead))
        except RedactionError as error:
            raise RedactionError(f"{document.id}: {error}") from None
        return Redacted(
            Document(document.id, new, group=document.group),
            tuple(plan),
            tuple(instead),
            Counter([finding.label for finding in plan if finding.label != PLACEHOLDER]),
            replacing.fallbacks,
            len(placeholders),
            self._order_counts(evidence, replacing.hidden_dates),
            replacing.is_over_89,
            order,
        )

    def order_evidence(self, document: Document, findings: Iterable[Finding]) -> OrderEvidence:
        """Return what a document says about the order of numeric dates; nothing if none is shifted.

        Merge the evidence of a patient's documents, then ask :meth:`order`.
        """
        if not self.reads_order:
            return NO_EVIDENCE
        rules, surfaces, text = self._settings.rules, self._settings.surfaces, document.text
        spans = [f[:2] for f in findings if rules[f.label][1] is IdentifierKind.DATE]
        dates = []
        for start, end in outermost(spans):
            clues = surfaces.clues(text[start:end])
            if clues is not None:
                dates.append((start, clues))
        return order_evidence(text, dates, self._settings.locale[:2])

    def order(self, patient: OrderEvidence, run: OrderEvidence | None = None) -> Order:
        """Return the order of numeric dates for a patient, given all evidence of the run."""
        return decide(patient, run or NO_EVIDENCE, self._settings.locale)

    def date_cells(self, cells: Sequence[DateCell], redacted: Redacted) -> list[str | None]:
        """Return date cells that belong to a document replaced like the dates of its text.

        None for those that cannot be shown; see :class:`~lacuna.deid.date_cells.DateCells`.
        """
        unit = redacted.document.unit
        return self._date_cells.replaced(
            cells, unit, is_over_89=redacted.is_over_89, order=redacted.order
        )

    def _order_counts(self, evidence: OrderEvidence, hidden: int) -> OrderCounts:
        order = evidence.order
        is_contradictory = order is Order.CONTRADICTORY or hidden > 0
        is_against = order not in (None, Order.CONTRADICTORY, locale_order(self._settings.locale))
        return OrderCounts(int(is_contradictory), hidden, int(is_against))

    def end_group(self, group: str) -> None:
        """Forget a patient whose documents are finished."""
        self._scopes.pop(("group", group), None)

    def _scope(self, document: Document) -> Scope:
        key, consistency = self._settings.key, self._settings.consistency
        if consistency is not Consistency.PATIENT or document.group is None:
            return Scope(key, ("document", document.id))
        scope = self._scopes.get(document.unit)
        if scope is None:
            scope = self._scopes[document.unit] = Scope(key, document.unit)
        return scope


def _placed(plan: Sequence[Finding], instead: Sequence[str]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, instead[i]) for i, span in enumerate(plan)]
