"""Clusters of word vectors: time, memory and what a CRF gains.

    python benchmarks/vectors.py RAW [--tokenized] [--train eng.train --test eng.testa]

Prints seconds of wall clock and of this process, and the largest memory, after kernels were
compiled; with --train, strict F1 on --test without and with the clusters.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import lacuna
from lacuna import Document
from lacuna.io.corpus import read_corpus
from lacuna.pipeline.raw_text import PIECE_CHARACTERS, count_words
from lacuna.pipeline.vectors import cluster_vectors


def main() -> None:
    """Cluster the words of raw text, then train."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("raw", nargs="+")
    parser.add_argument("--tokenized", action="store_true")
    parser.add_argument("--min-count", type=int, default=2)
    parser.add_argument("--train", nargs="*", default=[])
    parser.add_argument("--test", nargs="*", default=[])
    options = parser.parse_args()
    count_words([Document("a", "a b\n")], lower=True, tokenized=options.tokenized)
    began, own = time.perf_counter(), time.process_time()
    text = count_words(
        read_corpus(options.raw, piece_characters=PIECE_CHARACTERS),
        lower=True,
        tokenized=options.tokenized,
    )
    read = time.process_time() - own
    found, summary = cluster_vectors(text, min_count=options.min_count)
    print(
        f"{summary.tokens:,} tokens, {summary.words:,} words: {time.perf_counter() - began:.0f} s,"
        f" {time.process_time() - own:.0f} s of this process ({read:.0f} s to read),"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB,"
        f" load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    if not options.train:
        return
    train, test = (list(read_corpus(paths)) for paths in (options.train, options.test))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "words.clusters"
        path.write_text("".join(f"{entry}\n" for entry in found))
        for name, clusters in (("without", {}), ("with clusters", {"v": str(path)})):
            model = lacuna.train(train, lacuna.Crf(clusters=clusters))
            f1 = lacuna.evaluate(model, test).section("strict").micro.f1
            print(f"{name}: strict F1 {f1:.4f}")


if __name__ == "__main__":
    main()
