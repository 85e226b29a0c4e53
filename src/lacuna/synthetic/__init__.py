"""Annotated clinical notes about people who do not exist, to train and test taggers on.

    from lacuna.synthetic import generate
    notes = list(generate(500, seed=1))

Notes are drawn from templates, see :mod:`lacuna.synthetic.template`.
"""

from lacuna.synthetic.clinic import generate
from lacuna.synthetic.labels import CATEGORIES, FINDING, LABELS
from lacuna.synthetic.language import Split, languages
from lacuna.synthetic.noise import CLEAN, Noise

__all__ = ["CATEGORIES", "CLEAN", "FINDING", "LABELS", "Noise", "Split", "generate", "languages"]
