"""Surrogates: realistic values of the same kind and shape, consistent for each person."""
