"""Counts, objectives and optimisers."""
