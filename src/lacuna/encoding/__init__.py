"""Mentions as label structures that models can score."""
