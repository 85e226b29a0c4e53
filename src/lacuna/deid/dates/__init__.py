"""Dates: reading them in many notations, shifting them, writing them in the same notation."""
