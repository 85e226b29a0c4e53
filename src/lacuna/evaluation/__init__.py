"""Scoring: predictions against gold, two systems, two annotators.

Read in this order: :mod:`counts` (fractions), :mod:`mentions` and :mod:`tokens` (one document),
:mod:`scores` (a corpus), :mod:`leaks`, :mod:`bootstrap`, :mod:`significance`, :mod:`agreement`;
:mod:`pairing` brings two corpora together, :mod:`json_shape` and :mod:`report` lay results out;
:mod:`shares_chart` and :mod:`transition_graph` draw them as :mod:`svg`.
"""
