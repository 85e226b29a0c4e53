"""Labels and large categories, by rules and directly; dp-hmm against the CRF, label by label.

``python benchmarks/categories.py MEDDOCAN`` prints the tables of docs/categories.md; MEDDOCAN is a
folder with the folders train and dev. The clinic is generated. Figures are strict F1 in percent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lacuna.evaluation.bootstrap import intervals
from lacuna.evaluation.counts import Counts
from lacuna.evaluation.scores import Scores
from lacuna.io.corpus import read_corpus
from lacuna.io.label_map import bundled_categories
from lacuna.models.aligned import AlignedModel
from lacuna.models.base import Tagger
from lacuna.models.crf import Crf
from lacuna.models.dp_hmm import DpHmm
from lacuna.pipeline.categories import Categories
from lacuna.pipeline.evaluating import evaluate
from lacuna.pipeline.training import train_model
from lacuna.synthetic import Split, generate
from lacuna.text.document import Document

COLUMNS = ("rules", "direct", "direct + alignment")


class Corpus(NamedTuple):
    """Documents to learn from and to test on, and the large category of each label."""

    name: str
    training: list[Document]
    test: list[Document]
    categories: Mapping[str, str]


def main() -> None:
    """Print all tables, each corpus on its own."""
    folder = Path(sys.argv[1])
    training, dev = (list(read_corpus([str(folder / part)])) for part in ("train", "dev"))
    meddocan = Corpus("MEDDOCAN, train → dev", training, dev, bundled_categories("meddocan"))
    clinic = Corpus(
        "Generated clinic, train → test split, grouped by patient",
        list(generate(600, seed=1)),
        list(generate(300, seed=2, split=Split.TEST)),
        bundled_categories("i2b2-2014"),
    )
    for corpus in (meddocan, clinic):
        found = three_ways(corpus)
        for level, section in (("sub-categories", "strict"), ("large categories", "categories")):
            print(f"\n### {corpus.name}: {level}\n")
            print_table(("", "mentions", *COLUMNS), level_rows(found, section))
        if corpus is meddocan:
            crf = scores_of(train_model(corpus.training, Crf()), corpus)
            print(f"\n### {corpus.name}: dp-hmm against the CRF\n")
            header = ("", "mentions", "dp-hmm", "95 %", "crf", "95 %")
            print_table(header, against(found[1], crf))


def scores_of(model: Tagger, corpus: Corpus) -> Scores:
    """Return the scores of a model at both levels."""
    return evaluate(model, corpus.test, categories=corpus.categories)[0]


def three_ways(corpus: Corpus) -> list[Scores]:
    """Train with rules, directly, and directly with alignment."""
    rules = train_model(corpus.training, DpHmm(), categories=Categories(corpus.categories))
    aligned = train_model(corpus.training, DpHmm(), align=True)
    assert isinstance(aligned, AlignedModel)
    return [scores_of(model, corpus) for model in (rules, aligned.tagger, aligned)]


def level_rows(found: Sequence[Scores], section: str) -> Iterable[tuple[str, ...]]:
    """Yield precision, recall and F1 over all mentions, and F1 label by label."""
    sections = [scores.section(section) for scores in found]
    gold = sections[0].micro
    figures: dict[str, Callable[[Counts], float]] = {
        "precision": lambda counts: counts.precision,
        "recall": lambda counts: counts.recall,
        "**F1**": lambda counts: counts.f1,
    }
    for name, figure in figures.items():
        yield name, f"{gold.tp + gold.fn:,}", *(f"{100 * figure(s.micro):.2f}" for s in sections)
    for label, own in sections[0].labels.items():
        if own.tp + own.fn:
            counts = [s.labels[label] for s in sections]
            yield label, f"{own.tp + own.fn:,}", *(f"{100 * c.f1:.1f}" for c in counts)


def against(one: Scores, other: Scores) -> Iterable[tuple[str, ...]]:
    """Yield F1 and its interval for two models, label by label; the better in bold."""
    sections = [scores.section("strict") for scores in (one, other)]
    ranges = [intervals(scores, rng=np.random.default_rng(0))["strict"] for scores in (one, other)]
    annotated = [name for name, own in sections[0].labels.items() if own.tp + own.fn]
    for label in ("", *annotated):
        counts = [s.labels[label] if label else s.micro for s in sections]
        spans = [r.labels[label] if label else r.micro for r in ranges]
        best = max(c.f1 for c in counts)
        cells = []
        for count, span in zip(counts, spans, strict=True):
            mark = "**" if count.f1 == best else ""
            cells.append(f"{mark}{100 * count.f1:.1f}{mark}")
            cells.append(f"{100 * span['f1'].low:.1f}-{100 * span['f1'].high:.1f}")
        yield label or "all", f"{counts[0].tp + counts[0].fn:,}", *cells


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table."""
    lines = [header, ("---",) * len(header), *rows]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


if __name__ == "__main__":
    main()
