"""Trained taggers: what each kind learns, how it tags, and the file it is kept in."""
