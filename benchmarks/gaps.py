"""LI, SHARED and SPLIT side by side on a corpus of mentions with gaps.

    python benchmarks/gaps.py TRAIN DEV [-o results.json]
    python benchmarks/gaps.py --show results.json

After the experiments of Muis and Lu (2016). Documents are cut into sentences, each a document of
its own. Table 2: all labels as one; trained on sentences with a discontiguous mention (disc) or on
everything (orig), on 80 % of TRAIN (small) or all of it (large); scored on the sentences of DEV
that have a discontiguous mention and on all of them, mentions read off by ENOUGH and by ALL. The
penalty is chosen on the other 20 % of TRAIN, for `orig` with a fifth of the training sentences;
the caution, how readily a mention begins, there too, with the model of 80 %.
Table 4: several labels, large, orig. Then the same models with a higher score of opening a gap
(`gap_caution`, which is 0 elsewhere), and exact inference against unfolded.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

from lacuna.encoding.schemes import Heuristic
from lacuna.evaluation.scores import score
from lacuna.io.corpus import read_corpus
from lacuna.models.crf.li import Li
from lacuna.models.hypergraph import Shared, Split
from lacuna.models.registry import with_heuristic
from lacuna.models.settings import Settings
from lacuna.pipeline.training import train
from lacuna.text.document import Document, Mention, Span
from lacuna.text.tokens import tokens_of

MODELS: dict[str, Settings] = {
    "LI": Li(features="hypergraph"),
    "SHARED": Shared(gap_caution=0.0),
    "SPLIT": Split(gap_caution=0.0),
}
PENALTIES = (0.03, 0.06, 0.125, 0.25, 0.5, 1.0, 2.0)
SEARCH_SHARE = 0.2  #: of the sentences, to choose the penalty with
CAUTIONS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
GAP_CAUTIONS = (0.0, 1.0, 1.5, 2.0, 2.5)
ONE_LABEL = "MENTION"
Sentences = list[Document]


def sentences_of(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield every sentence as a document; mentions across sentences are left out."""
    for document in documents:
        tokens = tokens_of(document)
        for number, (a, b) in enumerate(pairwise(tokens.sentences.tolist())):
            start, end = int(tokens.start[a]), int(tokens.end[b - 1])
            inside = [m for m in document.mentions if start <= m.start and m.end <= end]
            mentions = tuple(
                replace(m, spans=tuple(Span(s.start - start, s.end - start) for s in m.spans))
                for m in inside
            )
            yield Document(f"{document.id}#{number}", document.text[start:end], mentions)


def as_one_label(documents: Iterable[Document]) -> Sentences:
    """Give all mentions one label; what two labels had in common is there once."""
    return [
        replace(d, mentions=tuple({Mention(ONE_LABEL, m.spans) for m in d.mentions}))
        for d in documents
    ]


def with_gaps(documents: Iterable[Document]) -> Sentences:
    """Return the sentences with a discontiguous mention."""
    return [d for d in documents if any(m.is_discontiguous for m in d.mentions)]


def scores_of(model: Any, documents: Sequence[Document]) -> dict[str, Any]:
    """Return precision, recall and F1 of all mentions and of discontiguous ones."""
    began = time.perf_counter()
    found = model.find(documents)
    seconds = time.perf_counter() - began
    scored = score(zip(documents, found, strict=True))
    strict = scored.section("strict")
    micro, gaps = strict.micro, scored.section("discontiguous").micro
    return {
        "precision": micro.precision,
        "recall": micro.recall,
        "f1": micro.f1,
        "gold": micro.tp + micro.fn,
        "produced": micro.tp + micro.fp,
        "discontiguous_f1": gaps.f1,
        "tokens_per_second": sum(len(tokens_of(d)) for d in documents) / seconds,
        "labels": {
            label: {"precision": c.precision, "recall": c.recall, "f1": c.f1, "gold": c.tp + c.fn}
            for label, c in strict.labels.items()
        },
    }


def trained(documents: Sentences, config: Settings, **settings: Any) -> tuple[Any, float]:
    """Return a model and the seconds it took."""
    began = time.perf_counter()
    model = train(documents, replace(config, **settings)).model
    return model, time.perf_counter() - began


def best_penalty(
    training: Sentences, judge: Sentences, config: Settings, penalties: Sequence[float]
) -> float:
    """Return the penalty with the highest F1 of ENOUGH on `judge`."""
    if len(penalties) == 1:
        return penalties[0]
    scores = {}
    for penalty in penalties:
        model, _ = trained(training, config, l2=penalty)
        scores[penalty] = scores_of(model, judge)["f1"]
    return max(scores, key=lambda penalty: scores[penalty])


def show(results: Sequence[dict[str, Any]]) -> None:
    """Print results as tables in Markdown."""
    table = {
        (r["model"], r["heuristic"], r["tested_on"], r["size"], r["trained_on"]): _percent(r)
        for r in results
        if r["table"] == "2"
    }
    for tested in ("disc", "all"):
        print(f"\n| {tested} | small, disc | small, orig | large, disc | large, orig |")
        print("|---|---|---|---|---|")
        for model, heuristic in product(MODELS, ("enough", "all")):
            cells = [
                table.get((model, heuristic, tested, *where), "")
                for where in product(("small", "large"), ("disc", "orig"))
            ]
            print(f"| {model}, {heuristic} | {' | '.join(cells)} |")
    print("\n| label | gold | " + " | ".join(MODELS) + " |\n|---|---|" + "---|" * len(MODELS))
    several = {r["model"]: r for r in results if r["table"] == "4"}
    for label in [*several["LI"]["labels"], "all"] if several else []:
        rows = {m: r if label == "all" else r["labels"][label] for m, r in several.items()}
        print(f"| {label} | {rows['LI']['gold']} | {' | '.join(map(_percent, rows.values()))} |")
    print("\n| model, gap caution | all mentions | F1 of mentions with a gap |\n|---|---|---|")
    for r in results:
        if r["table"] == "gap caution":
            name = f"{r['model']}, {r['gap_caution']:g}"
            print(f"| {name} | {_percent(r)} | {100 * r['discontiguous_f1']:.1f} |")
    print("\n| inference | P / R / F1 | training | tokens/s |\n|---|---|---|---|")
    for r in results:
        if r["table"] == "inference":
            speed = f"{r['seconds']:.0f} s | {r['tokens_per_second']:,.0f}"
            print(f"| {r['model']}, {r['inference']} | {_percent(r)} | {speed} |")


def _percent(row: dict[str, Any]) -> str:
    return " / ".join(f"{100 * row[key]:.1f}" for key in ("precision", "recall", "f1"))


def best_caution(model: Any, judge: Sentences) -> float:
    """Return the caution with the highest F1 of ENOUGH on `judge`."""
    scores = {c: scores_of(with_settings(model, caution=c), judge)["f1"] for c in CAUTIONS}
    return max(scores, key=lambda caution: scores[caution])


def with_settings(model: Any, **settings: float) -> Any:
    """Return the model with other settings, e.g. with mentions beginning more readily."""
    return replace(model, config=replace(model.config, **settings))


def main() -> None:
    """Train and score everything, showing lines as they come."""
    options = arguments()
    if options.show:
        show(json.loads(options.show.read_text()))
        return
    train_all = list(sentences_of(read_corpus([options.train])))
    dev = list(sentences_of(read_corpus([options.dev])))
    one, one_dev = as_one_label(train_all), as_one_label(dev)
    shuffled = random.Random(0).sample(one, len(one))
    cut = len(one) * 4 // 5
    small, held_out = shuffled[:cut], shuffled[cut:]
    sizes = {"small": small, "large": one}
    results: list[dict[str, Any]] = []

    def note(**row: Any) -> None:
        results.append(row)
        print(json.dumps(row), flush=True)
        if options.output:
            options.output.write_text(json.dumps(results, indent=1) + "\n")

    note(
        table="corpus",
        **{
            name: {"sentences": len(part), "with_gaps": len(with_gaps(part))}
            for name, part in {"train": one, "small": small, "dev": one_dev}.items()
        },
    )
    chosen: dict[str, tuple[float, float]] = {}
    for (name, config), subset in product(MODELS.items(), ("disc", "orig")):
        fraction = with_gaps(small) if subset == "disc" else small[: int(cut * SEARCH_SHARE)]
        judge = with_gaps(held_out) if subset == "disc" else held_out
        penalty = best_penalty(fraction, judge, config, options.penalties)
        caution = 0.0
        for size, documents in sizes.items():
            fitting = with_gaps(documents) if subset == "disc" else documents
            model, seconds = trained(fitting, config, l2=penalty)
            if size == "small":
                caution = best_caution(model, judge)
                note(table="settings", model=name, trained_on=subset, l2=penalty, caution=caution)
            for heuristic in Heuristic:
                reader = with_heuristic(with_settings(model, caution=caution), heuristic)
                for tested, test in {"disc": with_gaps(one_dev), "all": one_dev}.items():
                    note(
                        table="2",
                        model=name,
                        heuristic=heuristic.value,
                        trained_on=subset,
                        size=size,
                        tested_on=tested,
                        l2=penalty,
                        caution=caution,
                        seconds=seconds,
                        **scores_of(reader, test),
                    )
        chosen[name] = penalty, caution
    for name, config in MODELS.items():
        penalty, caution = chosen[name]
        model, seconds = trained(train_all, config, l2=penalty, caution=caution)
        note(
            table="4",
            model=name,
            l2=penalty,
            caution=caution,
            seconds=seconds,
            peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            **scores_of(model, dev),
        )
        for gap_caution in GAP_CAUTIONS if name != "LI" else ():
            note(
                table="gap caution",
                model=name,
                gap_caution=gap_caution,
                **scores_of(with_settings(model, gap_caution=gap_caution), dev),
            )
    for name, inference in product(("SHARED", "SPLIT"), ("exact", "unfolded")):
        settings = {"l2": chosen[name][0], "inference": inference}
        model, seconds = trained(with_gaps(one), MODELS[name], **settings)
        note(
            table="inference",
            model=name,
            inference=inference,
            seconds=seconds,
            **scores_of(model, with_gaps(one_dev)),
        )


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("train", type=Path, nargs="?")
    parser.add_argument("dev", type=Path, nargs="?")
    parser.add_argument("--show", type=Path, help="print the tables of such results")
    parser.add_argument("-o", "--output", type=Path, help="where to write the results as JSON")
    parser.add_argument("--penalties", type=float, nargs="+", default=PENALTIES)
    return parser.parse_args()


if __name__ == "__main__":
    main()
