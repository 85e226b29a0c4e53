"""Bytes ↔ documents: one file per format, listed in :mod:`lacuna.io.formats`."""
