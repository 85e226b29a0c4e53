"""Our CRF and python-crfsuite on the same data in the same run: training, F1, speed, memory, size.

    python benchmarks/crf_vs_crfsuite.py TRAIN DEV [--rounds 3] [--json out.json]

Both get the same tokens, sentences and tags and look at the same things: the templates of the
preset, written for python-crfsuite as a plain, careful feature extractor. Each run is a process of
its own, the two alternate, and medians are compared. Times include feature extraction.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from lacuna.encoding.chain import mentions_of, tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.evaluation.scores import score
from lacuna.features.presets import load_templates
from lacuna.io.corpus import read_corpus
from lacuna.text.document import Document, Tokens
from lacuna.text.tokenizer import tokens_of

FIGURES = ("train_seconds", "f1", "tokens_per_second", "peak_memory_mb", "model_bytes")


# --- python-crfsuite --------------------------------------------------------------------------


def shape(word: str) -> str:
    """Return the word with letters as X and x, digits as d."""
    return "".join(
        "X" if c.isupper() else "x" if c.islower() or c.isalpha() else "d" if c.isdigit() else c
        for c in word
    )


def collapsed(pattern: str) -> str:
    """Return a shape with runs taken together."""
    return "".join(c for i, c in enumerate(pattern) if i == 0 or pattern[i - 1] != c)


class WordValues:
    """Attribute values of words, computed once per word: what a careful user would do."""

    def __init__(self, attributes: set[str]) -> None:
        self.attributes = attributes
        self.known: dict[str, dict[str, str]] = {}

    def __getitem__(self, word: str) -> dict[str, str]:
        if word not in self.known:
            self.known[word] = self._compute(word)
        return self.known[word]

    def _compute(self, word: str) -> dict[str, str]:
        pattern = shape(word)
        values = {
            "word": word,
            "lower": word.lower(),
            "shape": pattern,
            "short": collapsed(pattern),
            "length": str(min(len(word), 10)),
            "kind": "".join(sorted(set(pattern))) + ("1" if len(word) == 1 else ""),
        }
        for n in range(1, 10):
            if len(word) >= n:
                values[f"prefix{n}"] = word[:n]
                values[f"suffix{n}"] = word[-n:]
        return {name: value for name, value in values.items() if name in self.attributes}


def crfsuite_features(
    words: list[str], values: WordValues, templates: list[Any]
) -> list[list[str]]:
    """Return the feature strings of every token of a sentence."""
    padded = [values[word] for word in words]
    found: list[list[str]] = []
    for t in range(len(words)):
        here: list[str] = []
        for name, terms in templates:
            parts = []
            for attribute, offset in terms:
                place = t + offset
                if place < 0:
                    parts.append("<")
                elif place >= len(words):
                    parts.append(">")
                else:
                    value = padded[place].get(attribute)
                    if value is None:
                        break
                    parts.append(value)
            else:
                here.append(f"{name}={'|'.join(parts)}")
        found.append(here)
    return found


def sentences(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Yield the token ranges of the sentences."""
    yield from pairwise(tokens.sentences.tolist())


def run_crfsuite(train: str, dev: str) -> dict[str, float]:
    """Train and tag with python-crfsuite."""
    import pycrfsuite

    templates = [
        (str(number), [(term.attribute, term.offset) for term in template.terms])
        for number, template in enumerate(load_templates("default"))
    ]
    values = WordValues({attribute for _, terms in templates for attribute, _ in terms})
    tagged = [tag_document(document) for document in read_corpus([train])]
    gold = list(read_corpus([dev]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        began = time.perf_counter()
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 0.1, "max_iterations": 100})
        for item in tagged:
            words, tags = item.tokens.words(item.document.text), item.tags(Scheme.BIO)
            for first, last in sentences(item.tokens):
                features = crfsuite_features(words[first:last], values, templates)
                trainer.append(features, tags[first:last])
        trainer.train(str(path))
        train_seconds = time.perf_counter() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        token_lists = [tokens_of(document) for document in gold]
        word_lists = [t.words(d.text) for t, d in zip(token_lists, gold, strict=True)]
        began = time.perf_counter()
        found = []
        for tokens, words in zip(token_lists, word_lists, strict=True):
            tags = []
            for first, last in sentences(tokens):
                features = crfsuite_features(words[first:last], values, templates)
                tags += tagger.tag(features)
            found.append(tags)
        seconds = time.perf_counter() - began
        size = path.stat().st_size
    predicted = [
        Document(d.id, d.text, tuple(mentions_of(tags, t)), tokens=d.tokens)
        for d, t, tags in zip(gold, token_lists, found, strict=True)
    ]
    return figures(gold, predicted, train_seconds, seconds, size)


# --- lacuna -----------------------------------------------------------------------------------


def run_lacuna(train: str, dev: str) -> dict[str, float]:
    """Train and tag with lacuna."""
    from lacuna.models.crf import Crf
    from lacuna.models.storage import write_model
    from lacuna.pipeline.evaluating import warm_up
    from lacuna.pipeline.training import train as train_model

    documents = list(read_corpus([train]))
    gold = list(read_corpus([dev]))
    train_model(documents[:2], Crf(iterations=2))  # load the kernels
    began = time.perf_counter()
    trained = train_model(documents, Crf())
    train_seconds = time.perf_counter() - began
    warm_up(trained.model)
    began = time.perf_counter()
    predicted = trained.model.find(gold)
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lacuna"
        write_model(path, trained.model.store())
        size = path.stat().st_size
    return figures(gold, predicted, train_seconds, seconds, size)


def figures(
    gold: list[Document],
    predicted: list[Document],
    train_seconds: float,
    seconds: float,
    size: int,
) -> dict[str, float]:
    """Lay out what a run measured."""
    result = score(zip(gold, predicted, strict=True))
    return {
        "train_seconds": train_seconds,
        "f1": result.section("strict").micro.f1,
        "tokens_per_second": float(result.tokens.sum()) / seconds,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "model_bytes": float(size),
    }


RUNS = {"crfsuite": run_crfsuite, "lacuna": run_lacuna}


def main() -> None:
    """Run both, alternating, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", choices=list(RUNS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(RUNS[options.run](options.train, options.dev)))
        return
    results: dict[str, list[dict[str, float]]] = {name: [] for name in RUNS}
    for _ in range(options.rounds):
        for name in RUNS:
            command = [sys.executable, __file__, options.train, options.dev, "--run", name]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            results[name].append(json.loads(out.splitlines()[-1]))
    medians = {
        name: {figure: statistics.median(run[figure] for run in runs) for figure in FIGURES}
        for name, runs in results.items()
    }
    print(f"{'':20}{'crfsuite':>14}{'lacuna':>14}{'ratio':>10}")
    for figure in FIGURES:
        theirs, ours = medians["crfsuite"][figure], medians["lacuna"][figure]
        print(f"{figure:20}{theirs:14,.4f}{ours:14,.4f}{ours / theirs:10.3f}")
    if options.json:
        options.json.write_text(json.dumps({"runs": results, "medians": medians}, indent=2))


if __name__ == "__main__":
    main()
