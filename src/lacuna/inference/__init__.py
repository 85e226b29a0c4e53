"""Exact inference. Arrays in, arrays out: no strings, no documents, no models.

Start with `chain.py`: a :class:`~lacuna.inference.chain.Chain` and rows of emission scores give
everything a chain model needs. Which kernel is for what:

=============================  ===================================================================
file                           for
=============================  ===================================================================
chain_kernels                  training: forward-backward of many sequences in step, all moves
                               counted; probabilities of stretches and of second-order chains
side_by_side(_kernels)         tagging with a first-order chain: forward-backward and Viterbi,
                               only what is asked, in the precision of the scores
second_order                   tagging with a second-order chain: Viterbi
log_space                      sequences that underflow elsewhere; k best paths, samples, pairs
stretches                      probability that the labels of some steps lie in given sets
subtags, subtag_kernels        best tags of a chain with several states per tag
subgraphs, subgraph_kernels    the hypergraphs SHARED and SPLIT: sums and the best subgraph
agreement                      complete graphs whose nodes prefer equal labels
models/class_hmm/objective.py  forward-backward over states whose class is observed
models/dp_hmm/e_step.py        the same over the sub-tags of observed tags: structured (a chain
                               per sentence) or mean field (one token at a time)
=============================  ===================================================================

`batch.py` divides sequences among threads. Emission scores are computed elsewhere, twice by design:
for training in `learning/emission.py` (with gradients), for tagging in `models/scoring.py` and
`models/combining_kernels.py` (without storing the features of tokens).
"""
