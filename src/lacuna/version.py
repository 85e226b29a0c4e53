"""The version of lacuna: in a module of its own, so that everything may import it."""

__version__ = "0.1.0"
