"""Strict F1 of kinds of models and switches on the corpora of a folder: one row for each.

    python benchmarks/accuracy.py DATA [--rows crf two-pass esp] [--list]

A row is a model trained on the training part by one command, which the table shows, and scored on
the dev part. IEER has no dev part: `--folds 5`, which also stops each training by its fold.
Settings are the defaults, or were chosen by dev scores of these corpora; no test part is used.
Times are processor time of training (for folds, of five trainings). --rows runs the rows whose name
or corpus is given; --list prints their names.

Rows "votes only" and "and soft votes" are models of two passes whose second pass looks at fewer
columns (`models/crf/elsewhere.py`); that is not a setting. Clusters are those of

    lacuna vectors raw/news.txt conll2003/eng.train --tokenized -o words.clusters
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unittest import mock

from lacuna import Document, Mention, evaluate
from lacuna.io.corpus import read_corpus
from lacuna.models.crf import training
from lacuna.models.crf.elsewhere import COLUMNS, SHARES, VOTES
from lacuna.models.crf.two_pass import evidence_templates
from lacuna.models.registry import kind_named
from lacuna.models.settings import Settings, configure
from lacuna.pipeline.raw_text import PIECE_CHARACTERS, count_words
from lacuna.pipeline.training import train
from lacuna.pipeline.training_records import TrainOptions
from lacuna.pipeline.tuning import cross_validate
from lacuna.pipeline.vectors import cluster_vectors

FOLDS = 5
SMALL = [Document(f"d{n}", "Ann met Bo.", (Mention.of("PER", (0, 3)),)) for n in range(9)]
RAW = ("raw/news.txt", "conll2003/eng.train")
CORPORA = {
    "eng": ("conll2003/eng.train", "conll2003/eng.testa"),
    "esp": ("conll2002/esp.train", "conll2002/esp.testa"),
    "meddocan": ("meddocan/train", "meddocan/dev"),
    "ieer": ("ieer", ""),
    "bib": ("bib/train.inline", "bib/dev.inline"),
    "psytar": ("psytar/train", "psytar/dev"),
    "craft": ("craft/train", "craft/dev"),
}


class Row(NamedTuple):
    """One model: its name in the table, corpus, kind, settings, and the columns it looks at."""

    name: str
    corpus: str
    settings: str = ""
    kind: str = "crf"
    columns: tuple[str, ...] | None = None

    @property
    def command(self) -> str:
        """What trains it."""
        source, dev = CORPORA[self.corpus]
        parts = [f"lacuna train {source}", *([] if dev else [f"--folds {FOLDS}"])]
        parts += [f"--model {self.kind}"] if self.kind != "crf" else []
        return " ".join([*parts, *(f"--set {setting}" for setting in self.settings.split())])


def _both(corpus: str, kind: str = "crf") -> list[Row]:
    """Return the rows of a corpus without and with the training lexicon."""
    name = f"{corpus} {kind}"
    return [Row(f"{name}, no lexicon", corpus, "lexicon=false", kind), Row(name, corpus, "", kind)]


CLUSTERS = "clusters.v=words.clusters"
ROWS = [
    Row("crf, no lexicon", "eng", "lexicon=false"),
    Row("crf", "eng"),
    Row("crf BILOU", "eng", "scheme=BILOU"),
    Row("two-pass, no lexicon, votes only", "eng", "lexicon=false two_pass=true", columns=VOTES),
    Row(
        "two-pass, no lexicon, and soft votes",
        "eng",
        "lexicon=false two_pass=true",
        columns=(*VOTES, *SHARES),
    ),
    Row("two-pass, no lexicon", "eng", "lexicon=false two_pass=true"),
    Row("two-pass", "eng", "two_pass=true"),
    Row("two-pass BILOU", "eng", "two_pass=true scheme=BILOU"),
    Row("crf, no lexicon, vectors", "eng", f"lexicon=false {CLUSTERS}"),
    Row("crf, vectors", "eng", CLUSTERS),
    Row("two-pass, vectors", "eng", f"two_pass=true {CLUSTERS}"),
    Row("two-pass BILOU, vectors", "eng", f"two_pass=true scheme=BILOU {CLUSTERS}"),
    *_both("esp"),
    Row("esp two-pass", "esp", "two_pass=true"),
    *_both("meddocan"),  # clinical features and lines are chosen by training
    Row("meddocan crf, default features", "meddocan", "features=default sequence=sentence"),
    *_both("ieer"),
    *_both("bib"),
    *_both("psytar"),
    *_both("psytar", "li"),
    *_both("psytar", "shared"),
    *_both("psytar", "split"),
    *_both("craft", "shared"),
]


def main() -> None:
    """Train and score the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--rows", nargs="*", default=[], help="names or corpora; all by default")
    parser.add_argument("--list", action="store_true", help="print the names of rows")
    options = parser.parse_args()
    known = {name for row in ROWS for name in (row.name, row.corpus)}
    if unknown := set(options.rows) - known:
        sys.exit(f"no such rows: {', '.join(sorted(unknown))}; see --list")
    rows = [row for row in ROWS if not options.rows or {row.name, row.corpus} & {*options.rows}]
    if options.list:
        print("\n".join(row.name for row in rows))
        return
    print("| row | command | strict F1 | processor time |\n|---|---|---|---|")
    with TemporaryDirectory() as folder:
        for row in rows:
            clusters = ""
            if CLUSTERS in row.settings:
                clusters = made_clusters(options.data, Path(folder) / "words.clusters")
            f1, seconds = measured(row, options.data, clusters)
            print(f"| {row.name} | `{row.command}` | {f1:.4f} | {seconds:.1f} s |", flush=True)


@cache
def made_clusters(data: Path, path: Path) -> str:
    """Write the clusters of word vectors once and return the path."""
    raw = [str(data / name) for name in RAW]
    documents = read_corpus(raw, piece_characters=PIECE_CHARACTERS)
    found, _ = cluster_vectors(count_words(documents, lower=True, tokenized=True))
    path.write_text("".join(f"{entry}\n" for entry in found))
    return str(path)


@cache
def documents_of(path: Path) -> list[Document]:
    """Read a corpus once."""
    return list(read_corpus([str(path)]))


def measured(row: Row, data: Path, clusters: str) -> tuple[float, float]:
    """Return strict F1 of a row and the processor time of its training."""
    source, dev = CORPORA[row.corpus]
    settings = [s.replace("words.clusters", clusters) for s in row.settings.split()]
    config = configure(kind_named(row.kind).config, settings)
    documents = documents_of(data / source)
    train(SMALL, config)  # so that kernels are loaded
    began = time.process_time()
    with looking_at(row.columns):
        if not dev:
            return folded(documents, config), time.process_time() - began
        model = train(documents, config).model
    seconds = time.process_time() - began
    return evaluate(model, documents_of(data / dev)).section("strict").micro.f1, seconds


def folded(documents: Sequence[Document], config: Settings) -> float:
    """Return strict F1 by cross-validation; iterations are those of the settings."""
    scores, _ = cross_validate(documents, config, FOLDS, TrainOptions())
    return scores.section("strict").micro.f1


@contextmanager
def looking_at(columns: tuple[str, ...] | None) -> Iterator[None]:
    """Leave out the templates of a second pass that look at other columns."""
    if columns is None:
        yield
        return
    others = tuple(f"column.{name}[" for name in COLUMNS if name not in columns)
    some = [t for t in evidence_templates() if not any(other in str(t) for other in others)]
    with mock.patch.object(training, "evidence_templates", return_value=some):
        yield


if __name__ == "__main__":
    main()
