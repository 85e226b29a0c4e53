"""What the recipes of the bundled models share: word lists, copies of notes, the finished file."""

from __future__ import annotations

import gzip
import pkgutil
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from lacuna.deid.findings import Finding, Origin
from lacuna.deid.keys import Key
from lacuna.deid.policy import Policy
from lacuna.deid.redact import Redactor
from lacuna.deid.vocabulary import LANGUAGE
from lacuna.features.extract import FeatureIndex
from lacuna.features.plan import make_plan
from lacuna.features.resources import Resources
from lacuna.models.answers import with_answers
from lacuna.models.crf import CrfModel
from lacuna.models.file import StoredModel, write_model
from lacuna.models.scoring import without_small
from lacuna.pipeline.training_records import Progress
from lacuna.synthetic.people import without_accents
from lacuna.text.document import Document, Mention

#: Weights nearer to zero are left out of the file.
SMALLEST_WEIGHT = 0.02
NEAR = 100  #: count of a word of the locales that a model is for
_IS_NEAR = 1000  # more than there are locales
_WORD = re.compile(r"[A-Za-zÀ-ž][A-Za-zÀ-ž'-]+")
#: Count of a word by the size of the SCOWL list: bands 5 to 0.
_COUNTS = {10: 10**5, 20: 10**4, 35: 10**3, 40: 10**2, 50: 10**2, 55: 10, 60: 10, 70: 1}
_LATIN = re.compile(r"[A-Za-zÀ-ž][A-Za-zÀ-ž' -]+")

Counts = Mapping[str, int]

# --- word lists


def words_of(values: object) -> Iterator[str]:
    """Yield the words of text, however deep in lists it stands."""
    if isinstance(values, str):
        yield from (w for w in re.findall(r"[^\W\d_][\w'-]*", values) if _WORD.fullmatch(w))
    elif isinstance(values, Iterable):
        for value in values:
            yield from words_of(value)


def from_faker(kind: str, names: str, near: Sequence[str] = ()) -> dict[str, int]:
    """Collect the words of all lists so named, over all locales that use Latin letters.

    The count is :data:`NEAR` for words of the locales `near`, 10 for words of several others, 1 for
    the rest.
    """
    package = import_module(f"faker.providers.{kind}")
    locales: Counter[str] = Counter()
    for module in pkgutil.iter_modules(package.__path__):
        provider = import_module(f"{package.__name__}.{module.name}").Provider
        lists = (getattr(provider, name) for name in dir(provider) if re.fullmatch(names, name))
        found = {word for values in lists if not callable(values) for word in words_of(values)}
        found |= {without_accents(word) for word in found}
        locales.update(dict.fromkeys(found, _IS_NEAR if module.name in near else 1))
    return {
        word: NEAR if number >= _IS_NEAR else 10 if number > 1 else 1
        for word, number in locales.items()
    }


def from_scowl(path: Path) -> dict[str, int]:
    """Return the words of a file of SCOWL, with a count by the size of the list they stand in."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    pairs = (line.split("\t") for line in lines)
    return {word: _COUNTS[int(size)] for word, size in pairs}


def faker_values(kind: str, name: str, locales: Iterable[str]) -> list[str]:
    """Return the values of a list of Faker in these locales that are in Latin letters, sorted."""
    found: set[str] = set()
    for locale in locales:
        provider = import_module(f"faker.providers.{kind}.{locale}").Provider
        values: Iterable[object] = getattr(provider, name, None) or ()
        found |= {v for v in values if isinstance(v, str) and _LATIN.fullmatch(v)}
    return sorted(found)


def thinned(words: Counts, eighths: int) -> dict[str, int]:
    """Return so many eighths of a list; which words stay depends on the words alone."""
    return {word: n for word, n in words.items() if zlib.crc32(word.encode()) // 8 % 8 < eighths}


def written(lists: Mapping[str, Counts], folder: Path) -> dict[str, str]:
    """Write ``word<TAB>count`` lines of each list in a fixed order; return the files by name."""
    folder.mkdir()
    for name, words in lists.items():
        lines = (f"{word}\t{words[word]}\n" for word in sorted(words))
        (folder / f"{name}.tsv").write_text("".join(lines), encoding="utf-8")
    return {name: str(folder / f"{name}.tsv") for name in lists}


# --- notes


def in_letters(document: Document, change: Callable[[str], str], suffix: str) -> Document | None:
    """Return a copy in other letters, of the same group; None if a letter becomes two."""
    text = change(document.text)
    if len(text) != len(document.text):
        return None
    unit = document.group or document.id
    return replace(document, id=f"{document.id}-{suffix}", text=text, group=unit)


def with_other_letters(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield documents as they are, in small letters and in capitals."""
    for document in documents:
        yield document
        for suffix, change in (("small", str.lower), ("capitals", str.upper)):
            copy = in_letters(document, change, suffix)
            if copy is not None:
                yield copy


def refilled(
    documents: Iterable[Document], policy: Policy, number: int, locale: str
) -> Iterator[Document]:
    """Yield copies in which the identifiers are surrogates by a policy that keeps or replaces.

    All copies of a document have one group; `number` tells one round of copies from another.
    """
    redactor = Redactor(policy, Key(bytes([number] * 32)), locale=locale)
    for document in documents:
        name, group = f"{document.id}-r{number}", document.group or document.id
        copy = replace(document, id=name, group=name, mentions=())
        findings = [
            Finding(span.start, span.end, mention.label, Origin.KNOWN)
            for mention in document.mentions
            for span in mention.spans
        ]
        safe = redactor.redact(copy, findings)
        redactor.end_group(name)
        mentions = tuple(
            Mention.of(mention.label, safe.offsets.to_new(mention.start, mention.end))
            for mention in document.mentions
        )
        yield replace(safe.document, group=group, mentions=mentions)


# --- the model


def finished(
    tagger: CrfModel, lists: Resources, caution: float, smallest: float = SMALLEST_WEIGHT
) -> CrfModel:
    """Give the tagger the whole lists and its caution, and drop weights below the smallest."""
    old = tagger.index
    plan = make_plan(old.plan.templates, resources=lists, key=old.plan.key)
    weights = tagger.weights.dense(len(tagger.tags))
    index, kept = without_small(FeatureIndex(plan, old.keys), weights, smallest)
    config = replace(tagger.config, caution=caution)
    return replace(tagger, config=config, index=index, weights=kept)


def write(stored: StoredModel, path: Path, language: str) -> None:
    """Write a model file that names its language, and say what it is."""
    stored = with_answers(replace(stored, header={**stored.header, LANGUAGE: language}))
    path.parent.mkdir(exist_ok=True)
    digest = write_model(path, stored)
    sys.stderr.write(f"\n{path}: {path.stat().st_size / 1e6:.1f} MB, sha256 {digest}\n")


def show(progress: Progress) -> None:
    """Say how far training is."""
    sys.stderr.write(f"\riteration {progress.iteration} of {progress.iterations}")
