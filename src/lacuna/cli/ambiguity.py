"""``lacuna ambiguity``: how ambiguous each encoding of mentions with gaps is."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from lacuna.cli.console import print_json, print_table, say
from lacuna.cli.corpora import CORPUS_HELP, CorpusOptions, JsonOption, reading
from lacuna.cli.option_records import only

if TYPE_CHECKING:
    from lacuna.evaluation.encoding_errors import StructureErrors, Subset


def ambiguity_command(
    corpus: Annotated[list[str] | None, typer.Argument(metavar="CORPUS", help=CORPUS_HELP)] = None,
    *,
    parts: Annotated[
        int, typer.Option(min=2, max=5, help="Maximum number of parts of a mention.")
    ] = 3,
    words: Annotated[
        int, typer.Option(min=1, max=100, help="Longest sentence to count structures for.")
    ] = 7,
    options: Annotated[CorpusOptions, only("format", "encoding", "columns", "label_map", "labels")],
    as_json: JsonOption = False,
) -> None:
    """Compare encodings of mentions with gaps.

    Without a corpus: how many structures each encoding (LI, SHARED, SPLIT) has for a sentence of n
    words, and how many bits a word adds in long sentences. The fewer structures, the more
    ambiguous. With a corpus: gold mentions are encoded and decoded again, to all mentions that the
    structure allows (ALL) or to just enough to explain it (ENOUGH); wrong and lost mentions are
    counted.

    Example: lacuna ambiguity notes/ --labels ADR
    """
    if corpus:
        _corpus_errors(corpus, options, parts, as_json=as_json)
    else:
        _structures(parts, words, as_json=as_json)


def _structures(parts: int, words: int, *, as_json: bool) -> None:
    from lacuna.encoding.ambiguity import (
        li_counts,
        li_rate,
        slice_counts,
        slice_rate,
        split_counts,
    )
    from lacuna.encoding.hypergraph import shared, split

    (graph,) = shared(parts)
    counts = {
        "LI": li_counts(parts, words),
        "SHARED": slice_counts(graph, words),
        "SPLIT": split_counts(parts, words),
    }
    bits = {
        "LI": li_rate(),
        "SHARED": slice_rate(graph),
        "SPLIT": sum(map(slice_rate, split(parts))),
    }
    relative = {
        "LI to SHARED": bits["SHARED"] / bits["LI"],
        "SHARED to SPLIT": bits["SPLIT"] / bits["SHARED"],
    }
    if as_json:
        # written as text: large counts do not fit into 64 bits
        exact = {name: [msgspec.Raw(str(n).encode()) for n in row] for name, row in counts.items()}
        print_json({"structures": exact, "bits_per_word": bits, "relative_ambiguity": relative})
        return
    title = f"structures for n words, one label, up to {parts} parts"
    rows = [
        (str(n), *(_number(counts[name][n - 1]) for name in counts)) for n in range(1, words + 1)
    ]
    rate = ("bits per word", *(f"{bits[name]:.3f}" for name in counts))
    print_table(title, ("n", *counts), [*rows, rate])
    for pair, ratio in relative.items():
        say(f"relative ambiguity of {pair}: {ratio:.2f}")


def _number(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"2^{log2(count):.1f}"


def _corpus_errors(corpus: list[str], options: CorpusOptions, parts: int, *, as_json: bool) -> None:
    from lacuna.evaluation.encoding_errors import structure_errors

    with reading(corpus, options) as documents:
        found = structure_errors(documents, parts=parts)
    for reason, count in found.left_out.items():
        say(f"left out, no encoding can express them: {count:,} mentions {reason}")
    if as_json:
        print_json(_as_json(found))
        return
    subsets = {"with gaps": found.discontiguous, "all": found.everything}
    header = [f"{name}: {what} error" for name in subsets for what in ("precision", "recall")]
    rows = []
    for encoding, heuristic in found.everything.errors:
        errors = [subset.errors[encoding, heuristic] for subset in subsets.values()]
        shares = [share for each in errors for share in (each.precision_error, each.recall_error)]
        rows.append((f"{encoding} {heuristic.name}", *(f"{share:.2%}" for share in shares)))
    print_table("gold mentions, encoded and decoded", ("", *header), rows)
    for name, subset in subsets.items():
        sizes = f"{subset.mentions:,} mentions in {subset.sentences:,} sentences"
        capped = max(errors.capped for errors in subset.errors.values())
        say(f"{name}: {sizes}" + (f", {capped:,} of them decoded in part" if capped else ""))


def _as_json(found: StructureErrors) -> dict[str, object]:
    return {
        "discontiguous": _subset_as_json(found.discontiguous),
        "everything": _subset_as_json(found.everything),
        "left_out": found.left_out,
    }


def _subset_as_json(subset: Subset) -> dict[str, object]:
    return {
        "sentences": subset.sentences,
        "mentions": subset.mentions,
        "errors": {
            f"{encoding}-{heuristic.name}": {
                "precision_error": errors.precision_error,
                "recall_error": errors.recall_error,
                "right": errors.right,
                "wrong": errors.wrong,
                "lost": errors.lost,
                "capped": errors.capped,
            }
            for (encoding, heuristic), errors in subset.errors.items()
        },
    }
