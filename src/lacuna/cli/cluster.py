"""``lacuna cluster``: classes of words from raw text, to be looked at by models."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, say, step_progress
from lacuna.cli.corpora import (
    CORPUS_HELP,
    CorpusOptions,
    EncodingOption,
    FormatOption,
    JsonOption,
    reading,
)

if TYPE_CHECKING:
    from lacuna.learning.brown import ClusteringStep
    from lacuna.pipeline.clusters import ClusteredWord, ClusterSummary, CountedText


def cluster_command(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help=CORPUS_HELP)],
    output: Annotated[
        str, typer.Option("-o", "--output", help="File to write; '-' is standard output.")
    ],
    clusters: Annotated[
        int, typer.Option("--clusters", min=2, help="How many clusters, at most 10,000.")
    ] = 1000,
    min_count: Annotated[
        int, typer.Option("--min-count", min=1, help="Words seen less often get no path.")
    ] = 2,
    max_words: Annotated[
        int, typer.Option("--max-words", min=2, help="Only so many, the most frequent, get one.")
    ] = 30_000,
    lower: Annotated[bool, typer.Option("--lower", help="Take all words in lower case.")] = False,
    source_format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Find classes of words in raw text (Brown clustering).

    Words that have like neighbours come into one cluster, like clusters under one branch of a
    tree. Writes one line per word: the path in the tree as bits, the word, its count. Models
    look at the paths with --set clusters.NAME=FILE. The file spells words out: treat it like the
    text it was made from.

    Example: lacuna cluster notes/ -o words.paths
    """
    from lacuna.pipeline.clusters import count_words

    announce_compiling()
    with reading(text, CorpusOptions(source_format, encoding)) as documents:
        counted = count_words(documents, lower=lower)
    found, summary = _cluster(counted, clusters, min_count, max_words)
    _write(found, output)
    if as_json and output != "-":
        print_json(summary)
        return
    _show(summary, output)


def _cluster(
    counted: CountedText, clusters: int, min_count: int, max_words: int
) -> tuple[list[ClusteredWord], ClusterSummary]:
    """Cluster behind a progress bar."""
    from lacuna.pipeline.clusters import cluster_words

    began = time.perf_counter()
    with step_progress("clustering") as update:

        def on_step(step: ClusteringStep) -> None:
            seconds_left = (time.perf_counter() - began) / step.done * (step.total - step.done)
            update("clustering", step.done, step.total, f"about {seconds_left:.0f} s left")

        return cluster_words(
            counted, clusters=clusters, min_count=min_count, max_words=max_words, on_step=on_step
        )


def _write(found: list[ClusteredWord], output: str) -> None:
    from lacuna.io.writing import whole_file, whole_output

    with whole_output() if output == "-" else whole_file(Path(output)) as stream:
        stream.write("".join(f"{entry}\n" for entry in found).encode())


def _show(summary: ClusterSummary, output: str) -> None:
    share = summary.word_tokens / summary.tokens
    say(
        f"{summary.tokens:,} tokens, {summary.types:,} types; {summary.words:,} of them"
        f" ({share:.1%} of the tokens) in {summary.clusters:,} clusters → {output}"
    )
    say(
        f"mutual information {summary.information:.3f} bits of the words'"
        f" {summary.word_information:.3f}, in {summary.seconds:.1f} s"
    )
