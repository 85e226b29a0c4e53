"""What several kinds of models learn with: an optimiser, emission scores, folds, clusters."""
