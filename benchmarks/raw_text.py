"""Learning from raw text: F1 against the share of annotated documents, with and without the rest.

    python benchmarks/raw_text.py DATA [--runs runs.jsonl] [--svg raw-text.svg]

DATA has the folders conll2003, ieer and bib. Of a sample of each corpus, 5, 10, 20 and 50 % of the
documents are annotated; the others are raw text, or left out. F1 is strict, on other documents, the
mean of some draws of the annotated documents. Runs are kept in a file; those that are there already
are not repeated, and several processes (``--corpora ieer``) may share the work.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import mean

import lacuna
from lacuna import Document
from lacuna.io.corpus import read_corpus
from lacuna.models.registry import kind_named
from lacuna.models.settings import configure
from lacuna.pictures import svg

#: Corpus → its files to train on and to score (all for both: divided), and how many documents.
CORPORA: Mapping[str, tuple[str, str, int, int]] = {
    "conll2003": ("conll2003/eng.train", "conll2003/eng.testa", 200, 60),
    "ieer": ("ieer", "ieer", 55, 24),
    "bib": ("bib/train.inline", "bib/dev.inline", 400, 100),
}
#: Settings that make training cheap; `raw_weight` is the default.
MODELS: Mapping[str, Sequence[str]] = {
    "class-hmm": (
        "states=2",
        "outside_states=2",
        "start=position",
        "decoder=max-path",
        "kappa=0.1",
    ),
    "dp-hmm": ("subtags.outside=10", "subtags.entity=4"),
    "trigram-hmm": (),
}
SHARES = (0.05, 0.1, 0.2, 0.5)
Run = tuple[str, str, float, int, bool]  # corpus, model, share, draw, with raw text
SIZE, GAP, LEFT, TOP = 210.0, 56.0, 52.0, 84.0
LOWEST, HIGHEST = 0.2, 0.8  #: F1 at both ends of the axis


def read_sample(data: Path, name: str) -> tuple[list[Document], list[Document]]:
    """Return documents to train on and to score."""
    train, test, most, fewer = CORPORA[name]
    first, second = (list(read_corpus([str(data / part)])) for part in (train, test))
    for documents in (first, second):
        random.Random(0).shuffle(documents)
    return first[:most], second[most : most + fewer] if train == test else second[:fewer]


def measure(train: Sequence[Document], test: Sequence[Document], run: Run) -> float:
    """Return the F1 of one run."""
    _, model, share, draw, with_raw = run
    order = random.Random(draw).sample(range(len(train)), len(train))
    annotated = order[: max(1, round(share * len(train)))]
    raw = [train[i] for i in order[len(annotated) :]] if with_raw else []
    config = configure(kind_named(model).config, MODELS[model])
    trained = lacuna.train([train[i] for i in annotated], config, raw=raw, seed=draw)
    return lacuna.evaluate(trained, test).section("strict").micro.f1


def known_runs(path: Path) -> dict[Run, float]:
    """Return the runs in a file."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found: dict[Run, float] = {}
    for line in lines:
        (corpus, model, share, draw, with_raw), f1 = json.loads(line)
        found[corpus, model, share, draw, with_raw] = f1
    return found


def table(runs: Mapping[Run, float]) -> Iterator[str]:
    """Yield a Markdown table: F1 without raw text, and what raw text adds, in points."""
    heads = [f"{share:.0%}" for share in SHARES]
    yield f"| corpus | model | {' | '.join(heads)} |"
    yield "|---|---|" + "---|" * len(heads)
    for corpus, model in product(CORPORA, MODELS):
        cells = []
        for share in SHARES:
            without, with_raw = (means(runs, corpus, model, raw).get(share) for raw in (0, 1))
            if without is None or with_raw is None:
                cells.append("")
            else:
                gain = round(100 * (with_raw - without), 1) + 0.0  # no -0.0
                cells.append(f"{100 * without:.1f} {gain:+.1f}")
        yield f"| {corpus} | `{model}` | {' | '.join(cells)} |"


def means(runs: Mapping[Run, float], corpus: str, model: str, raw: int) -> dict[float, float]:
    """Return the mean F1 at each share."""
    found: dict[float, list[float]] = {}
    for (corpus_, model_, share, _, raw_), f1 in sorted(runs.items()):
        if (corpus_, model_, raw_) == (corpus, model, bool(raw)):
            found.setdefault(share, []).append(f1)
    return {share: mean(values) for share, values in found.items()}


def drawn(runs: Mapping[Run, float]) -> str:
    """Draw a panel for each corpus: dashed without raw text, solid with it."""
    title = "F1 against the share of annotated documents, without (dashed) and with raw text"
    pieces = [svg.text(24, 30, title, font_size=15, font_weight=600)]
    for number, model in enumerate(MODELS):
        x = 24 + 130 * number
        pieces.append(f'<circle cx="{x + 5}" cy="50" r="4" fill="{svg.COLOURS[number]}"/>')
        pieces.append(svg.text(x + 16, 54, model))
    for column, corpus in enumerate(CORPORA):
        pieces += _panel(runs, corpus, LEFT + column * (SIZE + GAP))
    width = LEFT + len(CORPORA) * (SIZE + GAP)
    return svg.picture("\n".join(pieces), width=width, height=TOP + SIZE + 52, title=title)


def _panel(runs: Mapping[Run, float], corpus: str, left: float) -> Iterator[str]:
    """Yield the axes and curves of one corpus."""
    yield svg.text(left, TOP - 8, corpus, font_weight=600)
    small = {"fill": svg.PALE, "font_size": 11}
    for level in range(20, 81, 10):
        y = _height(level / 100)
        line = f'x1="{left}" y1="{y:.1f}" x2="{left + SIZE}" y2="{y:.1f}" stroke="#d0d0d0"'
        yield f"<line {line}/>"
        yield svg.text(left - 6, y + 4, str(level), text_anchor="end", **small)
    place = {share: left + SIZE * (n + 0.5) / len(SHARES) for n, share in enumerate(SHARES)}
    for share, x in place.items():
        yield svg.text(x, TOP + SIZE + 18, f"{share:.0%}", text_anchor="middle", **small)
    for (number, model), raw in product(enumerate(MODELS), (0, 1)):
        found = means(runs, corpus, model, raw)
        points = [svg.Point(place[share], _height(f1)) for share, f1 in found.items()]
        if points:
            dashes = "" if raw else ' stroke-dasharray="4 4"'
            path = f'd="M{"L".join(map(str, points))}" fill="none" stroke-width="2"'
            yield f'<path {path} stroke="{svg.COLOURS[number]}"{dashes}/>'


def _height(f1: float) -> float:
    return TOP + SIZE * (HIGHEST - f1) / (HIGHEST - LOWEST)


def main() -> None:
    """Do the runs that are missing; print the table and draw the picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--corpora", nargs="*", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--runs", type=Path, default=Path("raw-text-runs.jsonl"))
    parser.add_argument("--svg", type=Path)
    given = parser.parse_args()
    for corpus in given.corpora:
        train, test = read_sample(given.data, corpus)
        for draw, share, model in product(range(given.draws), SHARES, MODELS):
            for with_raw in (False, True):
                run = corpus, model, share, draw, with_raw
                if run not in known_runs(given.runs):
                    line = json.dumps([run, round(measure(train, test, run), 4)])
                    with given.runs.open("a", encoding="utf-8") as stream:
                        stream.write(f"{line}\n")
    runs = known_runs(given.runs)
    print("\n".join(table(runs)))
    if given.svg is not None:
        given.svg.write_text(drawn(runs), "utf-8")


if __name__ == "__main__":
    main()
