"""Compiling a language pack for one split into functions that write pieces of a note.

Every template becomes a *part*: a function that appends pieces to a list. A part for a rule draws
one of its templates; facts are drawn once and remembered for their scope.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lacuna.errors import CorpusFormatError
from lacuna.synthetic.labels import CATEGORIES
from lacuna.synthetic.language import Language, Split, bodies, load_language, portion
from lacuna.synthetic.people import NameBook, name_book
from lacuna.synthetic.scene import Part, Piece, Scene
from lacuna.synthetic.slots import built_in, check_formats
from lacuna.synthetic.template import (
    Body,
    Choice,
    FactScope,
    Mark,
    Node,
    Rule,
    Slot,
    Template,
    Text,
    marks,
    slots,
)

_MANY = 100  # lines of a list
_ARTICLE = re.compile(r"(?:^|[\s(])([Aa])n? $")
_VOWEL = re.compile(r"(?!uni|us|eu|one)[aeiou]|hon|hour")


@dataclass(frozen=True, slots=True)
class Pack:
    """A language pack, compiled for one split."""

    language: Language
    book: NameBook
    parts: Mapping[str, Part]  # by rule and by word list


@cache
def load_pack(code: str, split: Split) -> Pack:
    """Load, check and compile a language pack."""
    language = load_language(code)
    check(language)
    return Pack(language, name_book(language, split), compile_rules(language, split))


def check(language: Language) -> None:
    """Raise an error for the first slot that nothing can fill, or unknown label."""
    known = language.rules.keys() | language.words.keys()
    for rule in language.rules.values():
        for template in rule.templates:
            for slot in slots(template.body):
                _check_slot(slot, template, language, slot.name in known)
            for label in (rule.label, *(mark.label for mark in marks(template.body))):
                if label is not None and label not in CATEGORIES:
                    reason = f"unknown label {label}"
                    raise CorpusFormatError(template.path, reason, line=template.line)
    check_formats(language.settings, f"{language.code}/language.toml")
    for kind in language.settings.kinds:
        if f"note.{kind}" not in language.rules:
            raise CorpusFormatError(f"{language.code}/language.toml", f"no rule note.{kind}")


def _check_slot(slot: Slot, template: Template, language: Language, is_known: bool) -> None:
    roles = language.settings.roles
    if is_known:
        fits = not slot.argument or (slot.name in language.rules and slot.argument in roles)
    else:
        fits = slot.high == 1 and built_in(slot, language.settings) is not None
    if not fits:
        reason = f"nothing can fill {{{slot.name}{':' if slot.argument else ''}{slot.argument}}}"
        raise CorpusFormatError(template.path, reason, line=template.line)


def compile_rules(language: Language, split: Split) -> dict[str, Part]:
    """Return a part for every rule and every word list."""
    parts: dict[str, Part] = {
        name: _words(portion(values, split)) for name, values in language.words.items()
    }
    compiler = _Compiler(language, split, parts)
    for name, rule in language.rules.items():
        templates = tuple(compiler.body(body) for body in bodies(rule, split))
        parts[name] = _rule(rule, templates)
    return parts


def _words(values: tuple[str, ...]) -> Part:
    pieces = tuple(map(Piece, values))

    def write(scene: Scene, out: list[Piece]) -> None:
        out.append(scene.pick(pieces))

    return write


def _rule(rule: Rule, templates: tuple[Part, ...]) -> Part:
    """Draw a template; unless it is a shared format, it repeats only after all others."""
    name, size = rule.name, len(templates)

    def draw(scene: Scene, out: list[Piece]) -> None:
        scene.pick(templates)(scene, out)

    def draw_unused(scene: Scene, out: list[Piece]) -> None:
        used = scene.used.setdefault(name, set())
        if len(used) == size:
            used.clear()
        index = int(scene.rng.random() * size)
        while index in used:
            index = (index + 1) % size
        used.add(index)
        templates[index](scene, out)

    write = draw if rule.shared else draw_unused
    part = _marked(write, rule.label) if rule.label else write
    return _remembered(part, rule.name, rule.scope) if rule.scope else part


def _marked(part: Part, label: str) -> Part:
    """Turn everything a part writes into one mention."""

    def write(scene: Scene, out: list[Piece]) -> None:
        inner: list[Piece] = []
        part(scene, inner)
        out.append(Piece("".join(piece.text for piece in inner), label))

    return write


def _remembered(part: Part, name: str, scope: FactScope) -> Part:
    """Write a fact: the same words every time within its scope."""

    def write(scene: Scene, out: list[Piece]) -> None:
        facts = scene.memories[scope].facts
        if name not in facts:
            facts[name] = []
            part(scene, facts[name])
        out.extend(facts[name])

    return write


class _Compiler:
    """Turns bodies into parts; names are looked up in `parts` when used, not before."""

    def __init__(self, language: Language, split: Split, parts: Mapping[str, Part]) -> None:
        self.language, self.split, self.parts = language, split, parts

    def body(self, body: Body) -> Part:
        has_findings = any(isinstance(node, Mark) and node.parts for node in body)
        parts = tuple(map(self.node, body))
        if len(parts) == 1:
            return parts[0]

        def write(scene: Scene, out: list[Piece]) -> None:
            if has_findings:
                scene.finding += 1
            for part in parts:
                part(scene, out)

        return write

    def node(self, node: Node) -> Part:
        match node:
            case Text(text):
                piece = Piece(text)
                return lambda _, out: out.append(piece)
            case Choice(options):
                return _choice(tuple(map(self.body, options)))
            case Mark(str(label), _, body):
                return _marked(self.body(body), label)
            case Mark(_, parts, body):
                return _finding(self.body(body), parts)
            case Slot():
                return self.slot(node)

    def slot(self, slot: Slot) -> Part:
        if slot.name in self.language.rules or slot.name in self.language.words:
            part = self.named(slot)
        else:
            found = built_in(slot, self.language.settings)
            assert found is not None  # check() has seen every slot
            part = found
        return _styled(part, slot.style) if slot.style else part

    def named(self, slot: Slot) -> Part:
        name, parts = slot.name, self.parts
        if slot.argument:
            return _bound(parts, name, slot.argument)
        if slot.high > 1 or slot.low != 1:
            return _repeated(parts, slot, *self.repetition(name))
        return lambda scene, out: parts[name](scene, out)

    def repetition(self, name: str) -> tuple[str, int]:
        """Return the separator of repetitions, and their largest number: sentences occur once."""
        rule = self.language.rules.get(name)
        if rule is None:
            return ", ", len(self.language.words[name])
        is_prose = rule.separator == " "
        return rule.separator, len(bodies(rule, self.split)) if is_prose else _MANY


def tidy(pieces: list[Piece]) -> list[Piece]:
    """Join plain pieces, and remove doubled spaces and stops at the ends of slots.

    A space is removed before another space or a stop and at the start of a line, a stop after a
    stop: ``M.D.`` ends a sentence by itself. The article before a slot becomes the one that fits.
    """
    tidied: list[Piece] = []
    plain = ""
    end = ""  # the last character so far
    for piece in pieces:
        text = piece.text
        if end == "." and text[:1] == "." and text[:2] != "..":
            text = text[1:]
        if not text or (text == " " and end in ("", "\n")):
            continue
        if plain and text[0] in " .,;)\n" and end == " ":
            plain = plain[:-1]
        if piece.label or piece.findings:
            plain = _with_article(plain, text)
            tidied += [Piece(plain)] if plain else []
            tidied.append(Piece(text, piece.label, piece.findings))
            plain = ""
        else:
            plain += text
        end = text[-1]
    return [*tidied, Piece(plain)] if plain else tidied


def _with_article(plain: str, following: str) -> str:
    """Return a text that ends with *a* or *an* with the one that goes with the next word."""
    found = _ARTICLE.search(plain)
    if not found or not following[:1].islower():
        return plain
    is_vowel = _VOWEL.match(following) is not None
    return f"{plain[: found.end(1)]}{'n' if is_vowel else ''} "


def _choice(options: tuple[Part, ...]) -> Part:
    size = len(options)
    return lambda scene, out: options[int(scene.rng.random() * size)](scene, out)


def _bound(parts: Mapping[str, Part], name: str, role: str) -> Part:
    def write(scene: Scene, out: list[Piece]) -> None:
        scene.forget(role)
        scene.bound.append(role)
        parts[name](scene, out)
        scene.bound.pop()

    return write


def _repeated(parts: Mapping[str, Part], slot: Slot, separator: str, most: int) -> Part:
    joint = Piece(separator)
    low, high = min(slot.low, most), min(slot.high, most)

    def write(scene: Scene, out: list[Piece]) -> None:
        part = parts[slot.name]
        for turn in range(scene.rng.randint(low, high)):
            if turn:
                out.append(joint)
            scene.item = turn + 1
            part(scene, out)

    return write


def _styled(part: Part, style: str) -> Part:
    """Write the first letter (^) or everything (!) in capitals."""

    def write(scene: Scene, out: list[Piece]) -> None:
        inner: list[Piece] = []
        part(scene, inner)
        for number, piece in enumerate(inner):
            text = piece.text
            if style == "!":
                text = text.upper()
            elif number == 0:
                text = text[:1].upper() + text[1:]
            out.append(Piece(text, piece.label, piece.findings))

    return write


def _finding(part: Part, numbers: tuple[int, ...]) -> Part:
    """Mark what a part writes as belonging to findings of the current template."""

    def write(scene: Scene, out: list[Piece]) -> None:
        keys = tuple(scene.finding * 10 + number for number in numbers)
        inner: list[Piece] = []
        part(scene, inner)
        out.extend(Piece(piece.text, piece.label, keys) for piece in inner)

    return write
