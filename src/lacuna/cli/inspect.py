"""``lacuna inspect``: what a model file holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
import typer

from lacuna.cli.console import print_json, print_table, printable, say
from lacuna.cli.corpora import CorpusOptions, JsonOption, reading
from lacuna.cli.cues import cues_as_json, find_cues, find_subtags, show_cues, subtag_picture
from lacuna.cli.results import write_picture
from lacuna.cli.rules import rule_words, rules_of, save_rules, show_rules
from lacuna.cli.states import show_states, state_facts
from lacuna.errors import ConfigError

if TYPE_CHECKING:
    from lacuna.models.aligned import AlignedModel
    from lacuna.models.base import Card
    from lacuna.models.crf import ChainCrf
    from lacuna.models.registry import Model, StepModel
    from lacuna.models.with_rules.rules import Rules
    from lacuna.text.document import Document

    Part = ChainCrf | StepModel

MOVES_SHOWN = 20


def inspect_command(
    model: Annotated[Path, typer.Argument(help="A model file, *.lacuna.")],
    features: Annotated[
        int, typer.Option(min=0, help="How many of the strongest features of each tag to show.")
    ] = 5,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg",
            metavar="FILE",
            help="Also draw which tags follow one another, or the sub-tags around --label.",
        ),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="CORPUS",
            help="Annotated documents, to show what the hidden states of a class-hmm or dp-hmm"
            " stand for.",
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option("--label", help="Only what announces and follows this label (dp-hmm)."),
    ] = None,
    rules_file: Annotated[
        Path | None,
        typer.Option(
            "--rules",
            metavar="FILE",
            help="Also write the rules of a model of large categories, as TOML, to be edited and"
            " given to train --rules.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what is inside a model file.

    Its card, its settings and what it has learnt.
    """
    from lacuna.models.aligned import AlignedModel
    from lacuna.models.crf import ChainCrf
    from lacuna.models.file import file_digest, read_model
    from lacuna.models.registry import load

    stored = read_model(model)
    tagger = load(model)
    parts = _parts("", tagger)
    crfs = {name: part for name, part in parts if isinstance(part, ChainCrf)}
    rules = rules_of(tagger)
    finder = parts[-1][1]
    words = _words(tagger, finder, crfs.values(), rules, str(model))
    documents, states = _states(finder, corpus or [])
    subtags = find_subtags(finder, documents, words, label)
    cues = find_cues(subtags, [label] if label else tagger.labels) if subtags else []
    if rules_file is not None:
        save_rules(rules, rules_file)
    if svg is not None:
        around_label = subtag_picture(stored.kind, subtags, label) if subtags and label else None
        write_picture(svg, around_label or _chain_picture(stored.kind, finder))
    digest, size = file_digest(model), model.stat().st_size
    _warn(words, [part for _, part in parts])
    strongest = {name: _strongest(crf, words, features) for name, crf in crfs.items()}
    if as_json:
        facts = {
            "kind": stored.kind,
            "sha256": digest,
            "bytes": size,
            "labels": list(tagger.labels),
            **stored.header,
            "card": tagger.card,
            "words": len(words),
        }
        if crfs:
            facts["private"] = all(crf.index.plan.key for crf in crfs.values())
            facts["strongest"] = strongest.get("", strongest)
        if subtags:
            facts["cues"] = cues_as_json(cues)
        print_json(facts | states)
        return
    say(f"{stored.kind} model, {size:,} bytes, SHA-256 {digest}")
    _show_card(tagger.card, tagger.labels)
    for name, part in parts:
        _show_part(name, part, strongest)
    if isinstance(tagger, AlignedModel):
        _show_alignment(tagger)
    show_rules(rules)
    if subtags:
        show_cues(cues, named=bool(subtags.item_names))
    show_states(states)


def _words(
    model: Model, finder: Part, crfs: Iterable[ChainCrf], rules: Rules, source: str
) -> list[str]:
    """Return the words of its training text that a model spells out."""
    from lacuna.models.aligned import AlignedModel
    from lacuna.models.dp_hmm import DpHmmModel
    from lacuna.models.file import unpack_strings

    words = [word for crf in crfs for word in unpack_strings(crf.words, source=source)]
    if isinstance(finder, DpHmmModel):
        words += unpack_strings(finder.spelled, source=source)
    if isinstance(model, AlignedModel):
        words += model.space.words
    return list(dict.fromkeys([*words, *rule_words(rules)]))


def _states(part: Part, corpus: list[str]) -> tuple[list[Document], dict[str, Any]]:
    """Return the documents of a corpus, and what the hidden states of a model stand for in them."""
    from lacuna.models.class_hmm import ClassHmmModel
    from lacuna.models.dp_hmm import DpHmmModel

    if not corpus:
        return [], {}
    if not isinstance(part, ClassHmmModel | DpHmmModel):
        raise ConfigError(
            "--corpus is for class-hmm and dp-hmm models: others have no hidden states to show"
        )
    with reading(corpus, CorpusOptions()) as documents:
        read = list(documents)
    return read, state_facts(part, read)


def _chain_picture(kind: str, part: Part) -> str:
    """Draw the chain of the model that finds mentions, of two passes the second."""
    from lacuna.models.hypergraph import HypergraphModel
    from lacuna.models.trigram_hmm.pos import PosTagger
    from lacuna.pictures.transition_graph import chain_graph

    if isinstance(part, HypergraphModel):
        raise ConfigError(f"a {kind} model is no chain that could be drawn")
    if isinstance(part, PosTagger):
        chain, names = part.hmm.chain, part.hmm.tags
    else:
        chain, names = part.chain(), part.state_names
    return chain_graph(chain, names, title=f"{kind}: which tag follows which")


def _parts(name: str, model: Model) -> list[tuple[str, Part]]:
    """Return the models that a model is made of, by name."""
    from lacuna.models.aligned import AlignedModel
    from lacuna.models.crf.two_pass import PASSES, TwoPassModel
    from lacuna.models.with_pos import WithPos
    from lacuna.models.with_rules import WithRules

    if isinstance(model, AlignedModel | WithRules):
        return _parts(name, model.tagger)
    if isinstance(model, WithPos):
        return [("parts of speech", model.pos), *_parts(name, model.tagger)]
    if isinstance(model, TwoPassModel):
        return [(f"{which} pass", getattr(model, which)) for which in PASSES]
    return [(name, model)]


def _warn(words: list[str], parts: list[Part]) -> None:
    """Say what of the training text can be read in the file."""
    from lacuna.models.dp_hmm import DpHmmModel
    from lacuna.models.ppm_hmm import PpmHmmModel

    if words:
        is_dp_hmm = any(isinstance(part, DpHmmModel) for part in parts)
        say(
            f"warning: this model holds {len(words):,} words of its training text;"
            f" train {'--set spell=false' if is_dp_hmm else '--private'} leaves them out"
        )
    if any(isinstance(part, PpmHmmModel) for part in parts):
        say("warning: this model spells: it holds the letters of its training words in pieces")


def _strongest(model: ChainCrf, words: list[str], count: int) -> dict[str, list[Any]]:
    from lacuna.models.crf.explain import strongest_features

    found = strongest_features(model, words, count=count)
    return {
        tag: [feature._asdict() for feature in best]
        for tag, best in zip(model.tags, found, strict=True)
    }


def _card_rows(card: Card, labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from [
        ("data", ", ".join(card.data) or "not named"),
        ("documents", f"{card.documents:,}"),
        ("tokens", f"{card.tokens:,}"),
        ("labels", ", ".join(labels)),
        *((f"mentions of {label}", f"{count:,}") for label, count in card.mentions.items()),
        ("iterations", f"{card.iterations:,}"),
        *((f"F1, {score.how}", f"{score.f1:.4f}") for score in card.scores),
        ("licence", card.licence or "not given"),
        ("made by lacuna", card.version),
    ]


def _show_card(card: Card | None, labels: Iterable[str]) -> None:
    """Print a card, and below it those of the models that this one was adapted from."""
    title = "model card"
    while card is not None:
        _show(title, ("", "value"), _card_rows(card, labels))
        title, card = "adapted from", card.adapted_from
        labels = () if card is None else card.mentions


def _show_part(name: str, part: Part, strongest: dict[str, dict[str, list[Any]]]) -> None:
    """Show the settings of a model, and what it has learnt."""
    from lacuna.models.crf import ChainCrf

    title = f"{name}: " if name else ""
    config = msgspec.to_builtins(part.config)
    _show(f"{title}settings", ("setting", "value"), [(k, str(v)) for k, v in config.items()])
    if isinstance(part, ChainCrf):
        _show_crf(title, part, strongest[name])
    else:
        _show_counts(title, part)


def _show_counts(title: str, model: StepModel) -> None:
    """Show the size of a model that was not trained on features, and how states follow."""
    from lacuna.models.class_hmm import ClassHmmModel
    from lacuna.models.dp_hmm import DpHmmModel
    from lacuna.models.hypergraph import HypergraphModel
    from lacuna.models.ppm_hmm import PpmHmmModel

    if isinstance(model, ClassHmmModel):
        rows = {"states": len(model.log_total), "features": len(model.space)}
    elif isinstance(model, PpmHmmModel):
        rows = {"states": len(model.states), "words": len(model.words.types)}
    elif isinstance(model, HypergraphModel):
        rows = {"graphs": len(model.graphs), "features": len(model.index)}
    elif isinstance(model, DpHmmModel):
        rows = {"words": len(model.words.words), "word classes": len(model.words.classes)}
        used = zip(model.tags, np.diff(model.borders).tolist(), strict=True)
        _show(f"{title}sub-tags in use", ("tag", "number"), [(tag, f"{n:,}") for tag, n in used])
    else:
        lexicon = model.hmm.lexicon
        rows = {
            "tags": len(model.hmm.tags),
            "words": len(lexicon.words),
            "word classes": len(lexicon.classes.tags),
        }
        weights = [(name, f"{weight:.4f}") for name, weight in model.hmm.weights._asdict().items()]
        _show(f"{title}interpolation", ("of", "weight"), weights)
    rows["numbers"] = model.parameters
    _show(f"{title}counted", ("", "number"), [(k, f"{v:,}") for k, v in rows.items()])


def _show_alignment(model: AlignedModel) -> None:
    """Show what it is worth that occurrences of a word agree."""
    from lacuna.models.aligned.features import SHAPES

    rows = list(zip(model.space.labels, model.weights.by_label.tolist(), strict=True))
    for shape, (outside, inside) in zip(SHAPES, model.weights.by_shape.tolist(), strict=True):
        rows += [(f"O, words of shape {shape}", outside), (f"any label, {shape}", inside)]
    table = [(what, f"{weight:+.3f}") for what, weight in rows]
    _show("alignment: weight of agreement", ("on", "weight"), table)


def _show_crf(name: str, model: ChainCrf, strongest: dict[str, list[Any]]) -> None:
    templates = [(str(template),) for template in model.index.plan.templates]
    _show(f"{name}templates", ("template",), templates)
    rows = [
        (f"{tag}: {feature['name']}", f"{feature['weight']:+.3f}")
        for tag, best in strongest.items()
        for feature in best
    ]
    _show(f"{name}strongest features of single words", ("tag: feature", "weight"), rows)
    moves = np.argsort(-np.abs(model.moves), axis=None, kind="stable")[:MOVES_SHOWN]
    pairs = [divmod(int(place), len(model.tags)) for place in moves]
    rows = [(f"{model.tags[i]} → {model.tags[j]}", f"{model.moves[i, j]:+.3f}") for i, j in pairs]
    _show(f"{name}strongest moves", ("from → to", "weight"), rows)


def _show(title: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table; what comes from a file must not steer the terminal."""
    print_table(title, header, [tuple(map(printable, row)) for row in rows])
