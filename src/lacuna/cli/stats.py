"""``lacuna stats``: statistics of a corpus."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lacuna.cli.console import print_json, print_table
from lacuna.cli.corpora import CorpusArgument, CorpusOptions, JsonOption, reading

if TYPE_CHECKING:
    from lacuna.evaluation.statistics import CorpusStatistics, LabelStatistics

KINDS = ("same", "nested", "crossing")


def stats_command(
    corpus: CorpusArgument,
    *,
    options: CorpusOptions,
    as_json: JsonOption = False,
) -> None:
    """Count documents, sentences, mentions and overlaps.

    Mentions are counted by label and number of parts, overlapping pairs by the kind of overlap and
    by their labels.
    """
    from lacuna.evaluation.statistics import describe

    with reading(corpus, options) as documents:
        found = describe(documents)
    if as_json:
        print_json(found)
        return
    _show_sizes(found)
    _show_labels(found)
    if found.label_pairs:
        _show_overlaps(found)


def _show_sizes(found: CorpusStatistics) -> None:
    sizes = (
        ("documents", found.documents),
        ("groups", found.groups),
        ("characters", found.characters),
        ("tokens", found.tokens),
        ("sentences", found.sentences),
        ("  with a discontiguous mention", found.discontiguous_sentences),
        ("  with overlapping mentions", found.overlapping_sentences),
        ("mentions", found.mentions),
        ("  that overlap another", found.overlapping_mentions),
        ("  across a sentence boundary", found.across_sentences),
    )
    print_table("corpus", ("", "count"), [(name, f"{count:,}") for name, count in sizes])


def _show_labels(found: CorpusStatistics) -> None:
    parts = sorted({number for row in found.labels.values() for number in row.parts})
    rows = list(found.labels.items())
    if len(rows) > 1:
        rows.append(("all", _sum_of_labels(found)))
    print_table(
        "mentions by label and number of parts",
        ("label", "mentions", "mean length", *map(_parts, parts)),
        [
            (
                label,
                f"{row.mentions:,}",
                f"{row.characters / row.mentions:.1f}",
                *(f"{row.parts[number]:,}" for number in parts),
            )
            for label, row in rows
        ],
    )


def _sum_of_labels(found: CorpusStatistics) -> LabelStatistics:
    """Return the sum over all labels."""
    from lacuna.evaluation.statistics import LabelStatistics

    rows = found.labels.values()
    parts = sum((row.parts for row in rows), Counter[int]())
    return LabelStatistics(found.mentions, sum(row.characters for row in rows), parts)


def _show_overlaps(found: CorpusStatistics) -> None:
    counts = {
        "same label": found.within,
        "two labels": found.between,
        "all": found.within + found.between,
    }
    print_table(
        "overlapping pairs",
        ("", *KINDS, "all"),
        [
            (name, *(f"{row[kind]:,}" for kind in KINDS), f"{row.total():,}")
            for name, row in counts.items()
        ],
    )
    pairs = [(pair, f"{count:,}") for pair, count in found.label_pairs.most_common()]
    print_table("overlapping pairs by label", ("labels", "pairs"), pairs)


def _parts(number: int) -> str:
    return "1 part" if number == 1 else f"{number} parts"
