"""What several kinds of models are trained with: an optimiser, emission scores, folds, clusters."""
