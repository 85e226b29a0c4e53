"""Realistic values in the place of real ones: same kind, same shape, same person, other person."""
