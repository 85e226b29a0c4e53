"""Dates: reading them in many notations, moving them, writing them as they were written."""
