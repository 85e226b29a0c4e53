"""Our CRF and python-crfsuite on the same data in the same run: training, F1, speed, memory, size.

    python benchmarks/crf_vs_crfsuite.py TRAIN DEV [--preset default] [--set key=value]
        [--rounds 3] [--json out.json]

Both get the same tokens, sentences and tags and look at the same things: the templates of the
preset, written for python-crfsuite as a plain, careful feature extractor (attributes of places,
such as headers, are handed to it ready-made), without the training lexicon. Each run is a process
of its own, the two alternate, and medians are compared. Times include feature extraction. --set is
for our settings.
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
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lacuna.encoding.flat import mentions_of, tag_document
from lacuna.encoding.schemes import Scheme
from lacuna.evaluation.scores import score
from lacuna.features.layout import place_values
from lacuna.features.presets import load_templates
from lacuna.features.token_table import token_table
from lacuna.io.corpus import read_corpus
from lacuna.models.base import Tagger
from lacuna.text.document import Document, Tokens
from lacuna.text.tokens import tokens_of

RAW_TOKENS = 1_000_000  # of the stream that the speed from raw text is measured on
FIGURES = (
    "train_seconds",
    "train_processor_seconds",
    "f1",
    "tokens_per_second",
    "peak_memory_mb",
    "model_bytes",
)


class Seconds(NamedTuple):
    """Time of the clock, and of the processor in this process: other programs change that less."""

    clock: float
    processor: float


class Watch:
    """Measures time from its making on."""

    def __init__(self) -> None:
        self.began = Seconds(time.perf_counter(), time.process_time())

    def read(self) -> Seconds:
        """Return the time since it was made."""
        clock, processor = self.began
        return Seconds(time.perf_counter() - clock, time.process_time() - processor)


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


def stem(word: str) -> str:
    """Return the word in lower case without -s, -es, -ed or -ing."""
    low = word.lower()
    for ending, size in (("ing", 6), ("es", 5), ("ed", 5), ("s", 4)):
        if low.endswith(ending) and len(low) >= size and not (ending == "s" and low[-2] == "s"):
            return low[: -len(ending)]
    return low


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
            "stem": stem(word),
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


class Extractor:
    """Feature strings of sentences, by the templates of a preset."""

    def __init__(self, preset: str) -> None:
        loaded = load_templates(preset)
        self.templates = [
            (str(number), [(term.attribute, term.offset) for term in template.terms])
            for number, template in enumerate(loaded)
        ]
        terms = {term for template in loaded for term in template.terms}
        self.words = WordValues({term.attribute for term in terms if term.of_word})
        self.places = sorted({term.attribute for term in terms if not term.of_word})

    def sentences(self, document: Document, tokens: Tokens) -> Iterator[list[list[str]]]:
        """Yield the feature strings of every sentence."""
        values = [self.words[word] for word in tokens.words(document.text)]
        if self.places:
            found = place_values(token_table([document], [tokens]), self.places).T.tolist()
            values = [
                own | {n: str(v) for n, v in zip(self.places, row, strict=True) if v}
                for own, row in zip(values, found, strict=True)
            ]
        for first, last in pairwise(tokens.sentences.tolist()):
            yield crfsuite_features(values[first:last], self.templates)


def crfsuite_features(padded: list[dict[str, str]], templates: list[Any]) -> list[list[str]]:
    """Return the feature strings of every token of a sentence."""
    found: list[list[str]] = []
    for t in range(len(padded)):
        here: list[str] = []
        for name, terms in templates:
            parts = []
            for attribute, offset in terms:
                place = t + offset
                if place < 0:
                    parts.append("<")
                elif place >= len(padded):
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


def run_crfsuite(options: argparse.Namespace) -> dict[str, float]:
    """Train and tag with python-crfsuite."""
    import pycrfsuite

    extractor = Extractor(options.preset)
    tagged = [tag_document(document) for document in read_corpus([options.train])]
    gold = list(read_corpus([options.dev]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        watch = Watch()
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params({"c1": 0.0, "c2": 0.1, "max_iterations": 100})
        for item in tagged:
            tags = iter(item.tags(Scheme.BIO))
            for features in extractor.sentences(item.document, item.tokens):
                trainer.append(features, list(islice(tags, len(features))))
        trainer.train(str(path))
        training = watch.read()
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        token_lists = [tokens_of(document) for document in gold]
        began = time.perf_counter()
        found = [
            [tag for features in extractor.sentences(d, tokens) for tag in tagger.tag(features)]
            for d, tokens in zip(gold, token_lists, strict=True)
        ]
        seconds = time.perf_counter() - began
        size = path.stat().st_size
    predicted = [
        Document(d.id, d.text, tuple(mentions_of(tags, t)), tokens=d.tokens)
        for d, t, tags in zip(gold, token_lists, found, strict=True)
    ]
    return figures(gold, predicted, training, seconds, size)


# --- lacuna -----------------------------------------------------------------------------------


def run_lacuna(options: argparse.Namespace) -> dict[str, float]:
    """Train and tag with lacuna."""
    from lacuna.models.crf import Crf
    from lacuna.models.file import write_model
    from lacuna.models.settings import configure
    from lacuna.pipeline.evaluating import warm_up
    from lacuna.pipeline.training import train as train_model

    documents = list(read_corpus([options.train]))
    gold = list(read_corpus([options.dev]))
    config = configure(Crf, [f"features={options.preset}", "lexicon=false", *options.settings])
    train_model(documents[:2], replace(config, iterations=2))  # load the kernels
    watch = Watch()
    trained = train_model(documents, config)
    training = watch.read()
    warm_up(trained.model)
    began = time.perf_counter()
    predicted = trained.model.find(gold)
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.lacuna"
        write_model(path, trained.model.store())
        size = path.stat().st_size
    found = figures(gold, predicted, training, seconds, size)
    return found | {"raw_tokens_per_second": raw_speed(trained.model, gold)}


def raw_speed(model: Tagger, gold: list[Document]) -> float:
    """Return tokens per second from raw text to mentions, over a long stream of documents."""
    bare = [Document(document.id, document.text) for document in gold]
    tokens = sum(len(tokens_of(document)) for document in bare)
    repeated = bare * max(1, RAW_TOKENS // tokens)
    began = time.perf_counter()
    model.find(repeated)
    return tokens * (len(repeated) / len(bare)) / (time.perf_counter() - began)


def figures(
    gold: list[Document],
    predicted: list[Document],
    training: Seconds,
    seconds: float,
    size: int,
) -> dict[str, float]:
    """Lay out what a run measured."""
    result = score(zip(gold, predicted, strict=True))
    return {
        "train_seconds": training.clock,
        "train_processor_seconds": training.processor,
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
    parser.add_argument("--preset", default="default")
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--run", choices=list(RUNS), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(RUNS[options.run](options)))
        return
    results: dict[str, list[dict[str, float]]] = {name: [] for name in RUNS}
    for _ in range(options.rounds):
        for name in RUNS:
            command = [sys.executable, __file__, *sys.argv[1:], "--run", name]
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
    raw = statistics.median(run["raw_tokens_per_second"] for run in results["lacuna"])
    print(f"from raw text to mentions: {raw:,.0f} tokens/s")
    if options.json:
        options.json.write_text(json.dumps({"runs": results, "medians": medians}, indent=2))


if __name__ == "__main__":
    main()
