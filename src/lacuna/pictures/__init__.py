"""Pictures as SVG text, and the HTML page of errors; nothing is loaded from elsewhere.

Reading order: :mod:`svg` and :mod:`arrows` (elements), :mod:`outcome_chart` (scores by label),
:mod:`move_probabilities` and :mod:`transition_graph` (tags of a chain), :mod:`subtag_graph` (states
of a dp-hmm around a label), :mod:`error_page` (errors in context).
"""
