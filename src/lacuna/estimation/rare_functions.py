"""Further functions of rare words, besides what the word itself looks like.

* *word lists*: how frequent the word is in each list, as a band;
* *templates*: whether the piece of text around a word with digits looks like an age, a phone number
  or the number of somebody or something, and its exact shape. A piece ends at white space, but not
  between digits: the groups of a phone number belong together;
* *phrases*: the most telling words near by, of those that training found to be telling.

Each adds one or two depths to the classes of a word (`_rare_classes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lacuna.estimation._rare_functions import phrase_hashes, template_outputs, with_digits
from lacuna.features.lexicon import WordForms, WordList
from lacuna.features.token_table import TokenTable
from lacuna.text.characters import class_table
from lacuna.text.word_types import WordTypes, number_types
from lacuna.types import FloatArray, HashArray, IntArray

NO_PHRASES = WordTypes.build(np.zeros(0, np.uint64))


@dataclass(frozen=True, slots=True, eq=False)
class RareFunctions:
    """What is known of rare words, and where from.

    Attributes
    ----------
    lists
        Word lists by name.
    templates
        Whether templates are looked at.
    phrases
        Telling phrases, the most telling first.
    only_numbers
        Whether phrases are looked for near words with digits only.
    """

    lists: Mapping[str, WordList] = field(default_factory=dict)
    templates: bool = False
    phrases: WordTypes = NO_PHRASES
    only_numbers: bool = True

    @property
    def in_context(self) -> bool:
        """Whether more than the word itself is looked at."""
        return self.templates or len(self.phrases) > 0

    def outputs(self, table: TokenTable, tokens: IntArray) -> HashArray:
        """Return outputs[i, j]: what function j says of each of some tokens, 0 for nothing."""
        start, end = table.start[tokens], table.end[tokens]
        forms = WordForms.of(table.codes, start, end)
        found = [self.lists[name].values(forms)[:, None] for name in sorted(self.lists)]
        if self.templates:
            owner = np.searchsorted(table.documents, tokens, side="right") - 1
            texts = np.stack((table.texts[owner], table.texts[owner + 1]), axis=1)
            found.append(template_outputs(table.codes, start, end, texts, class_table()))
        if len(self.phrases):
            near = phrases_near(table, tokens, only_numbers=self.only_numbers)
            found.append(self._most_telling(near)[:, None])
        return np.concatenate([np.zeros((len(tokens), 0), np.uint64), *found], axis=1)

    def _most_telling(self, near: HashArray) -> HashArray:
        ids = self.phrases.lookup(near.reshape(-1)).reshape(near.shape)
        first = np.where(ids < 0, len(self.phrases), ids).min(axis=1, initial=len(self.phrases))
        found: HashArray = np.append(self.phrases.hashes, np.uint64(0))[first]
        return found


def phrases_near(table: TokenTable, tokens: IntArray, *, only_numbers: bool) -> HashArray:
    """Return phrases[i, j]: hashes of the words near each of some tokens, 0 for none.

    With `only_numbers` a token without a digit has none.
    """
    own = np.searchsorted(table.sentences, tokens, side="right")
    near = phrase_hashes(table.hashes, tokens, table.sentences[own - 1], table.sentences[own])
    if only_numbers:
        start, end = table.start[tokens], table.end[tokens]
        near[~with_digits(table.codes, start, end, class_table())] = 0
    return near


def telling_phrases(near: HashArray, tags: IntArray, *, count: int, least: int) -> WordTypes:
    """Return the `count` phrases that tell most about tags, the most telling first.

    near[i, j]: phrases near token i, whose tag is tags[i]. What phrase c tells about all tokens it
    is near, and about one of them, is

        G(c) = Σ_s n(c, s) ln [n(c, s) n / (n(c) n(s))]   and   G(c) / n(c)

    where n counts the tokens that any phrase is near. Phrases near fewer than `least` tokens are
    left out.
    """
    from scipy.sparse import coo_array

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
    told = np.bincount(cells.row, gain, minlength=len(times))
    told[times < least] = -np.inf
    best = np.argsort(-told, kind="stable")[:count]
    best = best[told[best] > 0.0]
    best = best[np.argsort(-told[best] / times[best], kind="stable")]
    return WordTypes.build(near[rows, columns][numbered.first[best]])
