"""Further functions of rare words, besides what the word itself looks like.

* *word lists*: the frequency of the word in each list, as a band;
* *templates*: whether the piece of text around a word with digits looks like an age, a phone number
  or the number of a person or document, and its exact shape. A piece ends at white space, but not
  at a space between digits: the groups of a phone number belong together;
* *phrases*: the most informative phrase near by, among those that training found.

Each adds one or two depths to the classes of a word (`rare_words.py`). The kernels compute their
outputs as hashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lacuna.features.hashing import NONE, finish, seed, step
from lacuna.features.lexicon import WordForms, WordList
from lacuna.features.token_table import TokenTable
from lacuna.kernels import kernel
from lacuna.text.characters import DIGIT, LETTER, LINE, LOWER, UPPER, ClassTable, class_table
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import BoolArray, CodeArray, FloatArray, HashArray, IntArray, LongArray

NO_PHRASES = WordTypes.build(np.zeros(0, np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class RareFunctions:
    """The further functions of a model.

    Attributes
    ----------
    lists
        Word lists by name.
    templates
        Whether templates are used.
    phrases
        Informative phrases, the most informative first.
    only_numbers
        Whether only words with digits look for phrases.
    """

    lists: Mapping[str, WordList] = field(default_factory=dict)
    templates: bool = False
    phrases: WordTypes = NO_PHRASES
    only_numbers: bool = True

    @property
    def in_context(self) -> bool:
        """Whether a function looks beyond the word itself."""
        return self.templates or len(self.phrases) > 0

    def outputs(self, table: TokenTable, tokens: IntArray) -> HashArray:
        """Return outputs[i, j] of function j for tokens[i], 0 for none."""
        start, end = table.start[tokens], table.end[tokens]
        forms = WordForms.of(table.codes, start, end)
        found = [self.lists[name].values(forms)[:, None] for name in sorted(self.lists)]
        if self.templates:
            owner = np.searchsorted(table.documents, tokens, side="right") - 1
            texts = np.stack((table.texts[owner], table.texts[owner + 1]), axis=1)
            found.append(template_outputs(table.codes, start, end, texts, class_table()))
        if len(self.phrases):
            near = phrases_near(table, tokens, only_numbers=self.only_numbers)
            found.append(self._most_informative(near)[:, None])
        return np.concatenate([np.zeros((len(tokens), 0), np.uint64), *found], axis=1)

    def _most_informative(self, near: HashArray) -> HashArray:
        """Return the first of `phrases` in each row, 0 if there is none."""
        ids = self.phrases.lookup(near.reshape(-1)).reshape(near.shape)
        first = np.where(ids < 0, len(self.phrases), ids).min(axis=1, initial=len(self.phrases))
        found: HashArray = np.append(self.phrases.hashes, np.uint64(0))[first]
        return found


def phrases_near(table: TokenTable, tokens: IntArray, *, only_numbers: bool) -> HashArray:
    """Return phrases[i, j]: hashes of the phrases near tokens[i], 0 for none.

    With `only_numbers` a token without a digit has none.
    """
    own = np.searchsorted(table.sentences, tokens, side="right")
    near = phrase_hashes(table.hashes, tokens, table.sentences[own - 1], table.sentences[own])
    if only_numbers:
        start, end = table.start[tokens], table.end[tokens]
        near[~with_digits(table.codes, start, end, class_table())] = 0
    return near


def informative_phrases(near: HashArray, tags: IntArray, *, count: int, least: int) -> WordTypes:
    """Return the `count` phrases that are most informative about tags, the most informative first.

    near[i, j]: phrases near token i, whose tag is tags[i]. Phrases c are selected by what they tell
    about all tokens they are near, and sorted by what they tell about one of them,

        G(c) = Σ_s n(c, s) ln [n(c, s) n / (n(c) n(s))]   and   G(c) / n(c)

    where n counts the tokens that any phrase is near. Phrases near fewer than `least` tokens are
    ignored.
    """
    from scipy.sparse import coo_array  # slow to load, and tagging does not need it

    rows, columns = np.nonzero(near)
    if not len(rows):
        return NO_PHRASES
    numbered = number_types(near[rows, columns])
    pairs = coo_array((np.ones(len(rows)), (numbered.ids, tags[rows]))).tocsr()
    around = tags[near.any(axis=1)]
    times: FloatArray = pairs.sum(axis=1)
    share = np.bincount(around) / len(around)
    cells = pairs.tocoo()
    gain = cells.data * np.log(cells.data / (times[cells.row] * share[cells.col]))
    gains = np.bincount(cells.row, gain, minlength=len(times))
    gains[times < least] = -np.inf
    best = np.argsort(-gains, kind="stable")[:count]
    best = best[gains[best] > 0.0]
    best = best[np.argsort(-gains[best] / times[best], kind="stable")]
    return WordTypes.build(near[rows, columns][numbered.first[best]])


TEMPLATE, PHRASE = 79, 80  #: seeds of the hashes; model files hold them, so they never change
AGE, PHONE, ID = 1, 2, 3
OLDEST = 120
LONGEST_AGE = 3
FEWEST_PHONE, MOST_PHONE = 7, 15
FEWEST_ID = 4
REACH = 3  #: words of a phrase are at most this far away
SPANS = 12  #: phrases of 1 to 3 words within reach: six on each side
BLANK, ZERO = (np.uint32(ord(c)) for c in " 0")
LONGEST_PIECE = 40  #: maximum number of characters on each side


@kernel
def template_outputs(
    codes: CodeArray, start: IntArray, end: IntArray, texts: LongArray, classes: ClassTable
) -> HashArray:
    """Return outputs[i]: the template of the piece of text around word i, and its shape.

    Both are 0 if the word has no digit or the piece has no template. The text that contains word i
    is codes[texts[i, 0]:texts[i, 1]].
    """
    outputs = np.zeros((len(start), 2), np.uint64)
    numbers = with_digits(codes, start, end, classes)
    for i in range(len(start)):
        if not numbers[i]:
            continue
        first, last = _piece(codes, start[i], end[i], texts[i, 0], texts[i, 1], classes)
        template = _template(codes[first:last], classes)
        if template:
            h = step(seed(TEMPLATE), np.uint64(template))
            outputs[i, 0] = finish(h)
            h = step(h, np.uint64(start[i] - first))
            outputs[i, 1] = finish(_shape(h, codes[first:last], classes))
    return outputs


@kernel
def with_digits(codes: CodeArray, start: IntArray, end: IntArray, classes: ClassTable) -> BoolArray:
    """Return for each word codes[start[i]:end[i]] whether it has a digit."""
    found = np.zeros(len(start), np.bool_)
    for i in range(len(start)):
        for c in range(start[i], end[i]):
            found[i] |= classes[codes[c]] == DIGIT
    return found


@kernel
def _piece(
    codes: CodeArray, first: int, last: int, least: int, most: int, classes: ClassTable
) -> tuple[int, int]:
    """Widen [first, last) up to white space, but not stopping at a space between digits."""
    least, most = max(least, first - LONGEST_PIECE), min(most, last + LONGEST_PIECE)
    while first > least and (
        classes[codes[first - 1]] > LINE
        or (first - 1 > least and _between_digits(codes, first - 1, classes))
    ):
        first -= 1
    while last < most and (
        classes[codes[last]] > LINE or (last + 1 < most and _between_digits(codes, last, classes))
    ):
        last += 1
    return first, last


@kernel
def _between_digits(codes: CodeArray, place: int, classes: ClassTable) -> bool:
    """Whether there is a space between two digits; `place` is not at an end of the text."""
    beside = classes[codes[place - 1]], classes[codes[place + 1]]
    return bool(codes[place] == BLANK and beside[0] == DIGIT and beside[1] == DIGIT)


@kernel
def _template(piece: CodeArray, classes: ClassTable) -> int:
    """Return AGE, PHONE, ID or 0, by the number of digits and letters and the value."""
    digits, letters, value = 0, 0, 0
    for code in piece:
        kind = classes[code]
        if kind == DIGIT:
            digits += 1
            if digits <= LONGEST_AGE:
                value = 10 * value + int(code - ZERO)
        letters += LOWER <= kind <= LETTER
    if digits <= LONGEST_AGE:
        return AGE if 0 < value <= OLDEST else 0
    if letters == 0 and FEWEST_PHONE <= digits <= MOST_PHONE:
        return PHONE
    return ID if digits >= FEWEST_ID else 0


@kernel
def _shape(h: np.uint64, piece: CodeArray, classes: ClassTable) -> np.uint64:
    """Add the shape of a piece to a hash: all capitals are alike, all small letters, all digits."""
    for code in piece:
        kind = classes[code]
        h = step(h, np.uint64(kind if kind in (DIGIT, UPPER, LOWER) else code + 32))
    return h


@kernel
def phrase_hashes(
    hashes: HashArray, tokens: IntArray, first: LongArray, last: LongArray
) -> HashArray:
    """Return phrases[i, j]: the j-th phrase near tokens[i], 0 if it leaves the sentence.

    Its sentence is hashes[first[i]:last[i]]. Phrases are the 1 to 3 words that start 1 to 3 tokens
    after the token and end within 3 tokens of it, and the same before it.
    """
    found = np.zeros((len(tokens), SPANS), np.uint64)
    for i in range(len(tokens)):
        j = 0
        for side in (-1, 1):
            for near in range(1, REACH + 1):
                h = step(seed(PHRASE), np.uint64(REACH + side * near))
                for far in range(near, REACH + 1):
                    place = tokens[i] + side * far
                    if first[i] <= place < last[i]:
                        h = step(h, hashes[place])
                        found[i, j] = finish(h)
                    else:
                        found[i, j] = NONE
                    j += 1
    return found
