"""Classes of words that were hardly ever seen, by feature functions."""

from __future__ import annotations

from lacuna.estimation._rare_classes import class_keys
from lacuna.estimation.rare_functions import RareFunctions
from lacuna.features.lower import lower_table
from lacuna.features.token_table import TokenTable
from lacuna.text.characters import class_table
from lacuna.types import HashArray, IntArray


def rare_keys(table: TokenTable, tokens: IntArray, functions: RareFunctions) -> HashArray:
    """Return keys[i, depth] of the classes of some tokens, from the coarsest on; 0: none."""
    start, end = table.start[tokens], table.end[tokens]
    further = functions.outputs(table, tokens)
    return class_keys(table.codes, start, end, lower_table(), class_table(), further)
