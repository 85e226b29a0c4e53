"""How well do models find names that training has not seen? Proxies for another month of news.

    python benchmarks/new_names.py FOLDER [--model KIND] [--set NAME=VALUE …]

FOLDER has ``conll2003`` (eng.train, eng.testa) and ``ieer``. Everything is scored on testa, except
for IEER, of which persons, organizations and locations count. docs/models.md has the results.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import lacuna
from lacuna.evaluation.scores import score
from lacuna.models.registry import trainable
from lacuna.models.settings import configure

SHARE_NEW = 0.5  #: share of the mentions of testa that training must not know
COMMON = 8  #: mentions of more documents than this stay known
LABELS = {"PERSON": "PER", "ORGANIZATION": "ORG", "LOCATION": "LOC"}
DATE = re.compile(r"1996-\d\d-\d\d")
EARLIER = "1996-08-25"


def mentions(document: lacuna.Document) -> set[tuple[str, str]]:
    """Return the mentions of a document, in lower case, and their labels."""
    return {(document.text[m.start : m.end].lower(), m.label) for m in document.mentions}


def without_shared_names(
    train: Sequence[lacuna.Document], dev: Sequence[lacuna.Document]
) -> list[lacuna.Document]:
    """Leave out the documents that share most with `dev`, until enough of its mentions are new."""
    wanted = Counter((d.text[m.start : m.end].lower(), m.label) for d in dev for m in d.mentions)
    shared = [mentions(document) & set(wanted) for document in train]
    documents = Counter(mention for own in shared for mention in own)
    left = set(range(len(train)))

    def use(d: int) -> float:
        rare = (mention for mention in shared[d] if documents[mention] <= COMMON)
        return sum(wanted[mention] / documents[mention] for mention in rare)

    while new_share(wanted, documents) < SHARE_NEW:
        worst = max(sorted(left), key=use)
        left.remove(worst)
        documents.subtract(shared[worst])
    return [train[d] for d in sorted(left)]


def new_share(wanted: Counter[tuple[str, str]], documents: Counter[tuple[str, str]]) -> float:
    """Return the share of the wanted mentions that no document has."""
    new = sum(times for mention, times in wanted.items() if not documents[mention])
    return new / wanted.total()


def until(train: Iterable[lacuna.Document], last: str) -> list[lacuna.Document]:
    """Return the documents up to a day; one without a date is of the day of that before it."""
    kept, day = [], ""
    for document in train:
        found = DATE.search(document.text)
        day = found[0] if found else day
        kept += [document] if day <= last else []
    return kept


def of_three_labels(document: lacuna.Document) -> lacuna.Document:
    """Keep persons, organizations and locations, under the names of CoNLL-2003."""
    named = (replace(m, label=LABELS.get(m.label, m.label)) for m in document.mentions)
    return replace(document, mentions=tuple(m for m in named if m.label in LABELS.values()))


def main() -> None:
    """Print one line for each training set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="class-hmm")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    config = configure(trainable()[options.model].config, options.set)
    train = list(lacuna.read(options.folder / "conll2003" / "eng.train"))
    dev = list(lacuna.read(options.folder / "conll2003" / "eng.testa"))
    ieer = [of_three_labels(document) for document in lacuna.read(options.folder / "ieer")]
    sets = {
        "all": train,
        "new names": without_shared_names(train, dev),
        "earlier": until(train, EARLIER),
        "every 10th": train[::10],
        "every 20th": train[::20],
    }
    for name, documents in sets.items():
        model = lacuna.train(documents, config)
        print(f"{name}, {len(documents)} documents: {f1(model, dev):.4f}", flush=True)
        if name == "all":
            print(f"IEER: {f1(model, ieer, three=True):.4f}", flush=True)


def f1(model: lacuna.Tagger, gold: Sequence[lacuna.Document], *, three: bool = False) -> float:
    """Return strict F1; of three labels only if so asked."""
    found = model.find([replace(document, mentions=()) for document in gold])
    if three:
        found = [of_three_labels(document) for document in found]
    return score(zip(gold, found, strict=True)).section("strict").micro.f1


if __name__ == "__main__":
    main()
