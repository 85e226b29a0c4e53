"""Scoring: a prediction against gold, two systems, two annotators.

Reading order: :mod:`counts` (precision, recall, F), :mod:`mention_counts` and :mod:`token_counts`
(one document), :mod:`scores` (a corpus, kept as :mod:`counts_by_document`), then :mod:`leaks`,
:mod:`bootstrap`, :mod:`significance` and :mod:`annotator_agreement`. :mod:`pairing` matches the
documents of two corpora; :mod:`result_json` and :mod:`result_tables` present results.

:mod:`mention_errors` lists what is wrong, :mod:`outcomes` sums it up by label. Separate from all
this are :mod:`pos_accuracy`, :mod:`statistics` (of a corpus) and :mod:`encoding_errors`.
"""
