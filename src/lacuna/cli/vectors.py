"""``lacuna vectors``: clusters of word vectors from raw text, as features of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lacuna.cli.cluster import MinCountOption, OutputOption, write_entries
from lacuna.cli.console import announce_compiling, print_json, say, step_progress
from lacuna.cli.corpora import CORPUS_HELP, CorpusOptions, JsonOption, reading
from lacuna.cli.option_records import only
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.pipeline.clusters import ClusteredWord
    from lacuna.pipeline.raw_text import CountedText
    from lacuna.pipeline.vectors import VectorStep, VectorSummary


def vectors_command(
    text: Annotated[list[str], typer.Argument(metavar="RAW", help=CORPUS_HELP)],
    *,
    output: OutputOption,
    dimensions: Annotated[
        int, typer.Option("--dimensions", min=1, max=1000, help="Length of the vectors.")
    ] = 100,
    clusters: Annotated[
        str, typer.Option("--clusters", metavar="N,N", help="Numbers of clusters, rising.")
    ] = "100,300,1000,2500",
    min_count: MinCountOption = 2,
    cased: Annotated[
        bool, typer.Option("--cased", help="Keep words with capital letters apart from others.")
    ] = False,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized",
            help="Plain text has spaces between all words, and every line is a sentence.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of random numbers.")] = 0,
    options: Annotated[CorpusOptions, only("format", "encoding")],
    as_json: JsonOption = False,
) -> None:
    """Cluster the words of raw text by their vectors.

    Words with similar neighbours get similar vectors, and those are put into few large and many
    small clusters. Writes one line per word: the numbers of its clusters as bits, the word, its
    count. To use them as features, train with --set clusters.NAME=FILE. Give it at least ten times
    as much text as is annotated, best millions of words: from little text a model gains nothing.
    With less text try `lacuna cluster`, whose time grows faster. The file contains words of the
    text: protect it as you protect the text.

    Example: lacuna vectors notes/ -o words.clusters
    """
    from lacuna.pipeline.raw_text import PIECE_CHARACTERS, count_words

    numbers = _numbers(clusters)
    announce_compiling()
    with reading(text, options, piece_characters=PIECE_CHARACTERS) as documents:
        counted = count_words(documents, lower=not cased, tokenized=tokenized)
    found, summary = _cluster(counted, dimensions, numbers, min_count, seed)
    write_entries(found, output)
    if as_json and output != "-":
        print_json(summary)
        return
    _show(summary, output)


def _cluster(
    counted: CountedText, dimensions: int, clusters: list[int], min_count: int, seed: int
) -> tuple[list[ClusteredWord], VectorSummary]:
    """Cluster with a progress bar."""
    from lacuna.pipeline.vectors import cluster_vectors

    with step_progress("vectors") as update:

        def on_step(step: VectorStep) -> None:
            update(step.what, step.done, step.total, "")

        return cluster_vectors(
            counted,
            dimensions=dimensions,
            clusters=clusters,
            min_count=min_count,
            seed=seed,
            on_step=on_step,
        )


def _numbers(clusters: str) -> list[int]:
    try:
        return [int(number) for number in clusters.split(",")]
    except ValueError:
        raise ConfigError("--clusters needs numbers with commas between them: 100,1000") from None


def _show(summary: VectorSummary, output: str) -> None:
    share = summary.word_tokens / summary.tokens
    numbers = ", ".join(f"{number:,}" for number in summary.clusters)
    say(
        f"{summary.tokens:,} tokens, {summary.types:,} types; {summary.words:,} of them"
        f" ({share:.1%} of the tokens) in {numbers} clusters → {output}"
    )
    cosines = ", ".join(f"{similarity:.3f}" for similarity in summary.similarity)
    say(f"mean cosine of a word and its cluster: {cosines}; {summary.seconds:.1f} s")
