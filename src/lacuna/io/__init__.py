"""Bytes to documents and back: one file per format, listed in :mod:`lacuna.io.formats`."""
