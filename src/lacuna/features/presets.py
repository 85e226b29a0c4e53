"""Template sets by name, and reading them from a file."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path

from lacuna.errors import ConfigError
from lacuna.features.templates import Template, parse_templates

_DEFAULT = """\
word[-2..2]
lower[-2..2]
shape[-1..1]
short[-2..2]
kind[-1..1]
prefix1-5[0]
suffix1-5[0]
suffix3[-1..1]
prefix3[-1..1]
length[0]
stem[0]
lower[-1] lower[0]
lower[0] lower[1]
lower[-2] lower[-1]
lower[1] lower[2]
lower[-1] lower[1]
short[-1] short[0]
short[0] short[1]
short[-1] short[0] short[1]
short[-2] short[-1] short[0]
short[0] short[1] short[2]
lower[-1] short[0]
short[0] lower[1]
lower[-3]
lower[3]
"""

_CLINICAL = (
    _DEFAULT
    + """\
short[-3]
short[3]
space[-1..1]
space[0] short[0]
header[0]
header[0] shape[0]
header[0] lower[-1]
header[0] short[-1] short[0]
section[0]
section[0] shape[0]
row[0]
row[0] short[0]
place[0]
place[0] short[0]
lead[0]
lead[0] short[0]
lead[0] run[0]
run[-1..1]
run[0] space[0]
run[0] short[0]
earlier[-1..1]
earlier[0] header[0]
earlier[-1] earlier[0]
earlier[0] earlier[1]
earlier[0] short[0]
date[-2..2]
date[0] space[0]
date[-1] date[0]
date[0] date[1]
date[-2] date[0]
date[0] date[2]
lower[-1] date[0]
date[0] lower[1]
date[-2] lower[-1] date[0]
date[0] lower[1] date[2]
"""
)

_HYPERGRAPH = """\
word[0]
lower[-3..3]
lower[-3..-1] lower[0]
lower[0] lower[1..3]
lower[-2] lower[-1] lower[0]
lower[-1] lower[0] lower[1]
lower[0] lower[1] lower[2]
prefix1-5[0]
suffix1-5[0]
shape[0]
short[-1..1]
kind[0]
stem[-1..1]
section[0]
"""

#: Not a preset: training chooses one by its documents.
AUTO = "auto"

#: Name → templates, as in a template file.
PRESETS: Mapping[str, str] = {"default": _DEFAULT, "clinical": _CLINICAL, "hypergraph": _HYPERGRAPH}


def load_templates(source: str | PathLike[str]) -> tuple[Template, ...]:
    """Return the templates of a preset, or of a template file.

    Raises
    ------
    ConfigError
        If there is neither, naming the nearest preset; if the file cannot be read, contains no
        template or a malformed one.
    """
    name = fspath(source)
    if name in PRESETS:
        return parse_templates(PRESETS[name].splitlines(), source=name)
    templates = parse_templates(_read(Path(name)).splitlines(), source=name)
    if not templates:
        raise ConfigError(f"{name}: contains no templates")
    return templates


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        near = get_close_matches(str(path), PRESETS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"presets are {', '.join(PRESETS)}"
        raise ConfigError(f"{path}: neither a preset nor a template file; {hint}") from None
    except UnicodeError:
        raise ConfigError(f"{path}: not valid utf-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
