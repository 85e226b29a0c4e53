"""Drawings for people: SVG pictures and HTML pages of what models learnt and where they err."""
