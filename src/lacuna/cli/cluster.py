"""``lacuna cluster``: clusters of words from raw text, as features of models."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.console import announce_compiling, print_json, say, step_progress
from lacuna.cli.corpora import CORPUS_HELP, CorpusOptions, JsonOption, reading
from lacuna.cli.option_records import only

if TYPE_CHECKING:
    from lacuna.learning.brown import ClusteringStep
    from lacuna.pipeline.clusters import ClusteredWord, ClusterSummary
    from lacuna.pipeline.raw_text import CountedText


OutputOption = Annotated[
    str, typer.Option("-o", "--output", help="File to write; '-' is standard output.")
]
MinCountOption = Annotated[int, typer.Option("--min-count", min=1, help="Minimum count of a word.")]


def cluster_command(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help=CORPUS_HELP)],
    *,
    output: OutputOption,
    clusters: Annotated[
        int, typer.Option("--clusters", min=2, help="Number of clusters, up to 10,000.")
    ] = 1000,
    min_count: MinCountOption = 2,
    max_words: Annotated[
        int, typer.Option("--max-words", min=2, help="Maximum number of words, the most frequent.")
    ] = 30_000,
    lower: Annotated[bool, typer.Option("--lower", help="Convert words to lower case.")] = False,
    options: Annotated[CorpusOptions, only("format", "encoding", "columns")],
    as_json: JsonOption = False,
) -> None:
    """Cluster the words of raw text (Brown clustering).

    Words with similar neighbours share a cluster, similar clusters a branch of a tree. Writes one
    line per word: its path in the tree as bits, the word, its count. To use the paths as features,
    train with --set clusters.NAME=FILE. For millions of words of text this takes minutes; use
    `lacuna vectors`. The file contains words of the text: protect it as you protect the text.

    Example: lacuna cluster notes/ -o words.paths
    """
    from lacuna.pipeline.raw_text import count_words

    announce_compiling()
    with reading(text, options, tagged=False) as documents:
        counted = count_words(documents, lower=lower)
    found, summary = _cluster(counted, clusters, min_count, max_words)
    write_entries(found, output)
    if as_json and output != "-":
        print_json(summary)
        return
    _show(summary, output)


def _cluster(
    counted: CountedText, clusters: int, min_count: int, max_words: int
) -> tuple[list[ClusteredWord], ClusterSummary]:
    """Cluster with a progress bar."""
    from lacuna.pipeline.clusters import cluster_words

    began = time.perf_counter()
    with step_progress("clustering") as update:

        def on_step(step: ClusteringStep) -> None:
            seconds_left = (time.perf_counter() - began) / step.done * (step.total - step.done)
            update("clustering", step.done, step.total, f"about {seconds_left:.0f} s left")

        return cluster_words(
            counted, clusters=clusters, min_count=min_count, max_words=max_words, on_step=on_step
        )


def write_entries(found: list[ClusteredWord], output: str) -> None:
    """Write one line per word, all of them or none."""
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
        f"mutual information: {summary.information:.3f} bits, of {summary.word_information:.3f}"
        f" between the words; {summary.seconds:.1f} s"
    )
