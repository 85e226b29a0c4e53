"""Formats and corpora."""  # noqa: A005
