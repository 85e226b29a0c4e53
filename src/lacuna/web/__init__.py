"""Review by people: projects, their documents, and what people decide about them.

``project.py`` is the file to read first. ``edits.py`` has the rules of editing and no I/O;
``store.py`` keeps the result in a database.
"""
