"""``lacuna evaluate --pipeline``: what ``lacuna deid`` would leave of annotated identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import CorpusOptions, ModelOptions, reading
from lacuna.cli.detector_options import (
    ConfidenceOption,
    DetectorOptions,
    MaxMissedOption,
    PolicyOption,
    ThresholdOption,
)
from lacuna.cli.results import (
    Pictures,
    ScoringOptions,
    scores_as_json,
    show_details,
    size_in_words,
    write_errors,
)
from lacuna.errors import ConfigError
from lacuna.evaluation import result_tables
from lacuna.evaluation.counts import Section
from lacuna.evaluation.leaks import leaks
from lacuna.evaluation.mention_errors import ErrorCollector, find_errors
from lacuna.pictures.error_page import error_page

if TYPE_CHECKING:
    from lacuna.evaluation.scores import Scores
    from lacuna.pipeline.deidentify import Deidentifier
    from lacuna.text.document import Document

DEFAULT_POLICY = "safe-harbor"
ADVICE = (
    "Missed: identifiers, or parts of them, that can still be read in the output. Spurious: what"
    " was removed although it touches no annotated identifier."
)


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """What is scored with ``--pipeline``; the other options are those of ``deid``."""

    pipeline: Annotated[
        bool,
        typer.Option("--pipeline", help="Score what lacuna deid hides, not the model alone."),
    ] = False
    policy: PolicyOption = DEFAULT_POLICY
    threshold: ThresholdOption = None
    max_missed: MaxMissedOption = None
    confidence: ConfidenceOption = None

    def open(
        self, model: Path | None, detector: DetectorOptions, opening: ModelOptions
    ) -> Deidentifier:
        """Return the de-identifier that these options ask for."""
        from lacuna.pipeline.deidentify import Deidentifier

        if opening != ModelOptions(no_align=opening.no_align):
            raise ConfigError("--heuristic and --task cannot be combined with --pipeline")
        detection = replace(detector, no_align=opening.no_align).with_model(model)
        return Deidentifier(
            policy=self.policy,
            threshold=self.threshold,
            max_missed=self.max_missed,
            confidence=self.confidence,
            detection=detection,
        )

    def refuse_without(self, detector: DetectorOptions) -> None:
        """Raise an error if options are given that need ``--pipeline``."""
        if self != PipelineOptions() or detector != DetectorOptions(lists=detector.lists or None):
            raise ConfigError(
                "options of lacuna deid, such as --policy and --known, need --pipeline"
            )


def evaluate_pipeline(
    deidentifier: Deidentifier,
    gold: list[str],
    corpus: CorpusOptions,
    scoring: ScoringOptions,
    pictures: Pictures,
    categories: Mapping[str, str] | None,
    seed: int,
    as_json: bool,
) -> None:
    """Score a de-identifier on annotated documents, and print the result."""
    from lacuna.pipeline.evaluate import evaluate_pipeline as evaluate

    leaking = ErrorCollector()

    def note(wanted: Document, gone: Document) -> None:
        replace(pictures, errors=None).note(wanted, gone)
        if pictures.errors is not None:
            _collect(leaking, wanted, gone)

    with reading(gold, corpus) as documents:
        result = evaluate(deidentifier, documents, categories=categories, on_pair=note)
    replace(pictures, errors=None).write()
    if pictures.errors is not None:
        write_errors(pictures.errors, error_page(leaking, title="Whole pipeline", advice=ADVICE))
    policy = deidentifier.policy.name
    if as_json:
        print_json({"policy": policy} | scores_as_json(result, scoring, seed))
    else:
        say(f"{size_in_words(result)}; policy {policy}")
        _show(result, scoring, seed)


def _collect(leaking: ErrorCollector, wanted: Document, gone: Document) -> None:
    """List leaks and what was removed needlessly; count which labels were found for which."""
    from lacuna.deid.still_readable import leaked, needless

    leaking.errors += find_errors(leaked(wanted, gone), needless(wanted, gone))
    leaking.count(wanted, find_errors(wanted, gone))


def _show(result: Scores, scoring: ScoringOptions, seed: int) -> None:
    found, token = leaks(result), result.section("token")
    print_table(*result_tables.hidden_table(found))
    say(result_tables.hidden_in_words(result, found))
    both = {label: counts for label, counts in token.labels.items() if counts.gold}
    both = {label: counts for label, counts in both.items() if counts.predicted}
    if both:
        title = "tokens, by labels that gold and deid share"
        print_table(*result_tables.label_table(Section(both), title=title, beta=scoring.beta))
    show_details(result, replace(scoring, by="binary"), seed)
