"""Where sentences begin, also with abbreviations, wrapped lines, forms and lists.

Inside a line a sentence ends with a stop (and the brackets and quotes that close after it) if
white space follows and the next word is not in lower case, except after

* a title or similar word: ``Dr. Whittaker``, ``vs. placebo``, ``approx. 5 cm``;
* a number word before a number: ``No. 7``, ``Fig. 2``, ``Jan. 5``, and ``3. Mai``;
* the number of a house before the number of a flat: ``C/ Mayor 3. 1A``, ``Calle Sol, 4. Piso 2``;
* the word for a street with a capital letter: ``Calle. Mayor``;
* an initial or an abbreviation that also ends sentences (``J. R. Smith``, ``p.m.``, ``Inc.``),
  unless the next word begins sentences but never names: ``at 5 p.m. The``.

Between lines, in this order:

1. a blank line cuts;
2. a list item (``- ``, ``* ``, ``1. ``, ``2) ``, ``• ``) and a form field (``Allergies: none``)
   begin a sentence;
3. a line that ends with a comma, a title or a word like *of* continues;
4. a stop or a colon cuts, unless the line is wrapped and the next begins in lower case;
5. a line that begins in lower case continues the previous one, unless that is a HEADER;
6. any other line begins a sentence, unless the previous one is wrapped: its next word would not
   have fitted into the width of the text's certainly wrapped lines.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from lacuna.text.characters import class_table
from lacuna.text.sentence_kernels import (
    ABBREVIATION,
    BEFORE_NUMBER,
    CONNECTOR,
    INSIDE_HOUSE,
    MONTH,
    STARTER,
    STREET,
    TITLE,
    Bytes,
    all_sentences,
    signs_of,
)
from lacuna.text.word_types import WordTypes, hash_tokens, hash_words
from lacuna.types import CodeArray, HashArray, IntArray, LongArray

_WORDS = {
    # English, Spanish, German, French, Dutch
    TITLE: """
        dr drs mr mrs ms prof rev hon sen rep gov gen lt sgt capt cmdr pres supt attn vs cf viz
        approx dra dres sra srta sres lic ing av avd avda ctra crta pso pº pza urb gral cdad col
        esc aprox hnos hnas hr fr frl dipl ca sog resp evtl vgl bzw mme mlle mevr dhr ir ds bijv
    """,
    BEFORE_NUMBER: """
        no nos nr nº num núm fig figs vol vols pp pg pag pág ch sec art cap tel tfno tlf fax ext
        apt apto dto dpto km rm ste tab eq ref refs ver bldg lot exp hist cp nhc nal nnal cra kra
        hb hgb hct hto
        jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic okt dez
    """,
    ABBREVIATION: """
        st sr jr sta sto inc ltd co corp bros dept univ hosp mt ft ave blvd rd pt pts hx dx rx tx
        sx fx cx px wt ht esp etc al op cit wk wks mo mos yr yrs hrs min mins sec secs
        calif mass conn penn tenn fla tex ariz colo wash ore mich minn wis ill ind ky va ga ala
        miss la ark okla neb kan dak mont wyo nev del md nac edif esq pta izq izqda dcha der
        edf carr cra kra dpto
        gmbh str geb verh zn bd ste cie cía
    """,
    STARTER: """
        the this that these those he she it they we you his her its their there then when while
        after before during since although however because if in on at for from with to and but
        as an is was are were no not patient patients upon given both also all
        se no en tras ante por una un su sus con al se tampoco paciente durante además como
        presenta refiere ingresa
        der das er es sie wir im bei ein eine nach mit zum zur am patientin
        il elle une nous ce cette ces après lors à pas
        het hij zij een er bij na patiënt mevrouw
    """,
    CONNECTOR: """
        of the an and or with by for in on at to from as is was were are be been that which who
        than this his her their its our your into per via not if when then but
        de del la el los las y e o u con por para en un una al su sus que se sin
        der die das den dem des und oder mit für von vom im zu zur zum bei auf ein eine einer
        le les et ou avec par pour dans du une aux au sur
        het een met voor van aan door bij naar
        a i à
    """,
    MONTH: """
        januar jänner februar märz april mai juni juli august september oktober november dezember
        januari februari maart mei augustus december
    """,
    STREET: """
        calle avenida avda avd av paseo pso plaza pza plza carretera ctra crta camino ronda glorieta
        travesía rambla urbanización urb rua rue
    """,
    INSIDE_HOUSE: """
        planta piso puerta pta portal escalera esc bloque bajo ático edificio edif local izq izqda
        dcha dch étage
    """,
}


class _Words(NamedTuple):
    """kinds[i]: bits that are known of word type i; the last entry is for unknown words."""

    types: WordTypes
    kinds: Bytes


@cache
def _words() -> _Words:
    """Return the words above, in lower case, capitalised and, from two letters on, upper case."""
    kinds: dict[str, int] = {}
    for bit, words in _WORDS.items():
        for word in words.split():
            forms = {word, word.capitalize(), word.upper()}
            if bit == STARTER:
                forms = {word.capitalize()}
            elif bit == CONNECTOR:
                forms = {word, word.upper()} if len(word) > 1 else {word}
            for form in forms:
                kinds[form] = kinds.get(form, 0) | bit
    types = WordTypes.build(hash_words(list(kinds)))
    return _Words(types, np.array([*kinds.values(), 0], np.uint8))


def sentence_borders(codes: CodeArray, start: IntArray, end: IntArray) -> IntArray:
    """Return sentence borders in token indices, as in :class:`~lacuna.text.document.Tokens`.

    Parameters
    ----------
    codes
        Code points of the text.
    start, end
        Its tokens, from our tokenizer.
    """
    texts, documents = np.array([0, len(codes)]), np.array([0, len(start)])
    hashes = hash_tokens(codes, start, end)
    return all_sentence_borders(codes, start, end, hashes, texts, documents).astype(np.int32)


def all_sentence_borders(
    codes: CodeArray,
    start: IntArray,
    end: IntArray,
    hashes: HashArray,
    texts: LongArray,
    documents: LongArray,
) -> LongArray:
    """Return sentence borders in tokens of many concatenated texts.

    Parameters
    ----------
    codes
        Code points of all texts.
    start, end, hashes
        Their tokens.
    texts, documents
        Where each text begins, and the last one ends, in code points and in tokens.
    """
    table = class_table()
    types, kinds = _words()
    signs = signs_of(codes, table, start, end, types.lookup(hashes), kinds)
    return all_sentences(codes, table, signs, texts, documents)
