"""The labels that alignment gives to repeated words, and how probable each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lacuna.estimation.alignment_objective import AlignmentWeights, alignment_graphs
from lacuna.inference.alignment import solve
from lacuna.models.alignment_features import FeatureSpace
from lacuna.models.relabelling import NewLabel
from lacuna.models.repeated_words import RepeatedWord, TaggedWords
from lacuna.types import FloatArray


def new_labels(
    space: FeatureSpace,
    weights: AlignmentWeights,
    repeated: Sequence[RepeatedWord],
    tagged: Sequence[TaggedWords],
    sure: Mapping[int, FloatArray],
) -> tuple[dict[int, dict[int, NewLabel]], int]:
    """Return labels by number of document and of token, and how many words are not exact.

    `sure` has the probabilities of the tokens of documents, by number.
    """
    if not repeated:
        return {}, 0
    seen = space.occurrences(repeated, tagged, sure)
    solved = solve(alignment_graphs(weights, seen))
    labels: dict[int, dict[int, NewLabel]] = {}
    node = 0
    for g, word in enumerate(repeated):
        names = [space.labels[k] for k in seen.candidates[g, : seen.labels[g]]]
        for place in word.places:
            chances = dict(zip(names, solved.marginals[node].tolist(), strict=False))
            found = NewLabel(names[solved.best[node]], chances)
            labels.setdefault(place.document, {})[place.token] = found
            node += 1
    return labels, int((~solved.exact).sum())
