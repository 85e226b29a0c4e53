"""Exact inference. Arrays in, arrays out: no strings, no documents, no models."""
