"""Workflows that combine the layers: training, tagging, scoring, de-identifying."""
