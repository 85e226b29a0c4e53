r"""The template language: plain files of rules, parsed into small trees.

A file contains *rules*. A rule starts with ``@name`` and lists its templates, one per line, or
between two lines of three double quotes if a template has several lines::

    # a comment
    @hpi.opening
    {patient} is a {age}-year-old {man} with [a history of|known] {disease}.
    ~ {Mr.} {patient.last}, {age}, [came in|presented] with {symptom*1-2}.

``~`` marks a template of the test split; all others belong to the training split.

Inside a template::

    {name}            a rule, a word list, a role ("patient.last"), a built-in slot or a form that
                      agrees with the patient's sex ("he"); see lacuna.synthetic.slots
    {name:argument}   an argument: {number:60-100}, {code:##-???}, {date:admit+2};
                      a rule takes a role, which its templates then call "person": {dr:attending}
    {name*2-4}        two to four different templates of a rule, or words of a list
    {^name} {!name}   first letter in capitals; everything in capitals
    [one|two|]        one of the alternatives; the last one here is empty
    [=CITY {city}]    a mention of an identifier
    [#1,2 cut] of [#1 skin] and [#2 bone]
                      parts of findings 1 and 2 of this template: "cut of skin", "cut … bone"
    \n \t \[ \{ \|    a line break, a tab, the character itself

Options may follow the name of a rule: ``lines`` (repeated templates are on separate lines),
``list`` (they are joined by commas), ``as LABEL`` (the whole is a mention), ``per patient``,
``per stay`` or ``per note`` (drawn once, then constant: a fact) and ``shared`` (formats and
skeletons, for both splits). Templates with findings do not nest.

A file named ``*.words.txt`` contains word lists: ``@name``, then words separated by commas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from lacuna.errors import CorpusFormatError

FENCE = '"""'
_NAME = re.compile(r"([\^!]?)([A-Za-z][\w.'-]*)(?::([^{}*]+))?(?:\*(\d+)(?:-(\d+))?)?")
_MARK = re.compile(r"=([A-Z-]+) |#(\d+(?:,\d+)*) ")
_ESCAPES = {"n": "\n", "t": "\t"}


class FactScope(StrEnum):
    """How long a fact stays constant."""

    PATIENT = "patient"
    STAY = "stay"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Text:
    """Literal characters."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """Something to fill in; `style` is ``"^"``, ``"!"`` or empty."""

    name: str
    argument: str
    low: int
    high: int
    style: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several bodies."""

    options: tuple[Body, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A body that is a mention (`label`) or a part of the findings numbered in `parts`."""

    label: str | None
    parts: tuple[int, ...]
    body: Body


Node = Text | Slot | Choice | Mark
Body = tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """One way to write a rule."""

    body: Body
    source: str
    path: str
    line: int
    held_out: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A name for a set of templates."""

    name: str
    templates: tuple[Template, ...]
    separator: str = " "
    label: str | None = None
    scope: FactScope | None = None
    shared: bool = False


def parse_rules(content: str, path: str) -> list[Rule]:
    """Read a rule file; `path` is for error messages."""
    rules = []
    for name, options, line, lines in _sections(content, path):
        templates = tuple(_templates(lines, path))
        if not templates:
            raise CorpusFormatError(path, f"rule {name} has no templates", line=line)
        rules.append(_with_options(name, options, templates, path, line))
    return rules


def parse_words(content: str, path: str) -> dict[str, tuple[str, ...]]:
    """Read a word-list file: comma-separated values under ``@name`` lines."""
    lists = {}
    for name, options, line, lines in _sections(content, path):
        if options:
            raise CorpusFormatError(path, f"word list {name} takes no options", line=line)
        values = (value.strip() for _, text in lines for value in text.split(","))
        lists[name] = tuple(dict.fromkeys(value for value in values if value))
        if not lists[name]:
            raise CorpusFormatError(path, f"word list {name} is empty", line=line)
    return lists


Lines = list[tuple[int, str]]


def _sections(content: str, path: str) -> Iterator[tuple[str, list[str], int, Lines]]:
    """Split a file at its ``@name options`` lines; yield (name, options, line, lines)."""
    name, options, start, lines = "", [""], 0, Lines()
    fenced = False
    for number, line in enumerate(content.splitlines(), start=1):
        if line.removeprefix("~").strip() == FENCE:
            fenced = not fenced
        elif not fenced and (line.startswith("#") or not line.strip()):
            continue
        if line.startswith("@") and not fenced:
            if name:
                yield name, options, start, lines
            name, *options = line[1:].split() or [""]
            if not re.fullmatch(r"[A-Za-z][\w.'-]*", name):
                raise CorpusFormatError(path, "a rule needs a name after @", line=number)
            start, lines = number, []
        elif not name:
            raise CorpusFormatError(path, "text before the first @name", line=number)
        else:
            lines.append((number, line))
    if fenced:
        raise CorpusFormatError(path, "a template of several lines is not closed", line=start)
    if name:
        yield name, options, start, lines


def _templates(lines: Lines, path: str) -> Iterator[Template]:
    """Yield the templates of a rule: one per line, or one per fenced block."""
    block: list[str] | None = None
    held_out, first = False, 0
    for number, line in lines:
        fence = line.removeprefix("~").strip() == FENCE
        if block is None:
            held_out, first = line.startswith("~"), number
            if fence:
                block = []
            else:
                text = line[1:].lstrip() if held_out else line
                yield Template(parse_body(text, path, number), text, path, number, held_out)
        elif fence:
            text = "\n".join(block)
            yield Template(parse_body(text, path, first + 1), text, path, first, held_out)
            block = None
        else:
            block.append(line)


def _with_options(
    name: str, options: list[str], templates: tuple[Template, ...], path: str, line: int
) -> Rule:
    separator, label, scope, shared = " ", None, None, False
    words = iter(options)
    for word in words:
        if word == "lines":
            separator = "\n"
        elif word == "list":
            separator = ", "
        elif word == "shared":
            shared = True
        elif word == "as":
            label = next(words, None)
        elif word == "per":
            value = next(words, "")
            if value not in tuple(FactScope):
                raise CorpusFormatError(path, "per needs patient, stay or note", line=line)
            scope = FactScope(value)
        else:
            raise CorpusFormatError(path, f"unknown option {word!r} of rule {name}", line=line)
    return Rule(name, templates, separator, label, scope, shared)


def parse_body(text: str, path: str = "<template>", line: int = 1) -> Body:
    """Parse one template."""
    return _Parser(text, path, line).whole()


def slots(body: Body) -> Iterator[Slot]:
    """Yield every slot of a body, including nested ones."""
    for node in body:
        match node:
            case Slot():
                yield node
            case Choice(options):
                for option in options:
                    yield from slots(option)
            case Mark(_, _, inner):
                yield from slots(inner)


def marks(body: Body) -> Iterator[Mark]:
    """Yield every mark of a body, including nested ones."""
    for node in body:
        match node:
            case Choice(options):
                for option in options:
                    yield from marks(option)
            case Mark(_, _, inner):
                yield node
                yield from marks(inner)


class _Parser:
    """Recursive descent over one template."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self.text, self.path, self.line = text, path, line
        self.place = 0

    def whole(self) -> Body:
        body = self.body("")
        if self.place < len(self.text):
            self.fail(f"{self.text[self.place]} without its opening bracket")
        return body

    def body(self, stops: str) -> Body:
        """Read nodes until one of `stops` or the end."""
        nodes: list[Node] = []
        plain: list[str] = []

        def flush() -> None:
            if plain:
                nodes.append(Text("".join(plain)))
                plain.clear()

        while self.place < len(self.text):
            character = self.text[self.place]
            if character in stops or character in "]}":
                break
            if character == "{":
                flush()
                nodes.append(self.slot())
            elif character == "[":
                flush()
                nodes.append(self.bracket())
            else:
                plain.append(self.character())
        flush()
        return tuple(nodes)

    def character(self) -> str:
        character = self.text[self.place]
        self.place += 1
        if character != "\\":
            return character
        if self.place == len(self.text):
            self.fail("a backslash at the end")
        escaped = self.text[self.place]
        self.place += 1
        return _ESCAPES.get(escaped, escaped)

    def slot(self) -> Slot:
        end = self.text.find("}", self.place)
        if end < 0:
            self.fail("{ is not closed")
        found = _NAME.fullmatch(self.text, self.place + 1, end)
        if not found:
            self.fail("a slot is {name}, {name:argument} or {name*2-4}")
        style, name, argument, low, high = found.groups()
        self.place = end + 1
        least = int(low or 1)
        most = int(high or least)
        if most < least:
            self.fail("the range of a repeated slot is reversed")
        return Slot(name, argument or "", least, most, style)

    def bracket(self) -> Choice | Mark:
        opened = self.place
        self.place += 1
        mark = _MARK.match(self.text, self.place)
        if mark:
            self.place = mark.end()
            label, parts = mark.groups()
            body = self.body("")
            self.close(opened)
            return Mark(label, tuple(map(int, parts.split(","))) if parts else (), body)
        options = [self.body("|")]
        while self.place < len(self.text) and self.text[self.place] == "|":
            self.place += 1
            options.append(self.body("|"))
        self.close(opened)
        return Choice(tuple(options))

    def close(self, opened: int) -> None:
        if self.place == len(self.text) or self.text[self.place] != "]":
            self.place = opened
            self.fail("[ is not closed")
        self.place += 1

    def fail(self, reason: str) -> NoReturn:
        line = self.line + self.text.count("\n", 0, self.place)
        raise CorpusFormatError(self.path, reason, line=line)
