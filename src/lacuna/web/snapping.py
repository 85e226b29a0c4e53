r"""The tokens that selections on the page snap to.

They are lacuna's tokens, but what a person sees as one thing is one token if it has no white space
inside::

    03/14/1998  14-Mar-1998  7:36a  98.6  1,200  (555)123-4567  j_r@mail.org  www.mail.org/x

The page gets starts as differences and lengths, in code points; both are small numbers.
"""

from __future__ import annotations

import re

import numpy as np

from lacuna.text.document import Document
from lacuna.text.tokens import tokens_of
from lacuna.types import LongArray

# Every alternative begins where no longer match can begin before it, or is bounded: the time is
# linear in the text.
_ONE_THING = re.compile(
    r"""
      (?<![\w.+-]) [\w.+-]{1,64} @ [\w-]{1,63} (?: \. [\w-]{1,63} ){1,8}              # e-mail
    | (?<!\w) (?: https?:// | www\. ) [^\s<>"]{0,2000} [\w/]                          # web
    | (?<![\w.@-]) (?: [a-z0-9-]{1,63} \. ){1,8} (?: com|org|net|edu|gov ) \b
      (?: / [^\s<>"]{0,2000} [\w/] )?
    | (?<![\w.]) \+? (?: \d{1,3} [.-] )? \(\d{3}\) -? \d{3} [.-] \d{4} (?!\d)         # phone
    | (?<![\w.]) \d{1,4} ([/.-]) (?: \d{1,2} | [^\W\d_]{3,9} ) \1 \d{1,4} (?! \1? \d )  # date
    | (?<![\w.]) \d{1,2} : \d{2} (?: : \d{2} )? (?: [ap] m? \b )?                     # time
    | (?<![\w.]) \+? \d{1,3} (?: , \d{3} )+ (?: \. \d+ )? (?!\d)                      # 1,200.5
    | (?<!\d) \+? \d+ (?: [/.:-] \d+ )+                                               # 98.6
    """,
    re.VERBOSE | re.IGNORECASE,
)


def snapping_tokens(document: Document) -> tuple[list[int], list[int]]:
    """Return starts and ends of tokens, in code points, ascending and apart."""
    tokens = tokens_of(document)
    starts: LongArray = np.asarray(tokens.start, np.int64)
    ends: LongArray = np.asarray(tokens.end, np.int64)
    joined = np.zeros(len(starts), np.bool_)  # whether a token belongs to the one before it
    for match in _ONE_THING.finditer(document.text):
        first = int(np.searchsorted(ends, match.start(), side="right"))
        last = int(np.searchsorted(starts, match.end(), side="left"))
        joined[first + 1 : last] = starts[first + 1 : last] == ends[first : last - 1]
    begins = np.flatnonzero(~joined)
    finishes = np.append(begins[1:], len(starts)) - 1 if len(begins) else begins
    return starts[begins].tolist(), ends[finishes].tolist()


def delta_coded(starts: list[int], ends: list[int]) -> dict[str, list[int]]:
    """Return ``{"starts": …, "lengths": …}``: each start as the difference to the one before."""
    first = np.array(starts, np.int64)
    return {
        "starts": np.diff(first, prepend=0).tolist(),
        "lengths": (np.array(ends, np.int64) - first).tolist(),
    }
