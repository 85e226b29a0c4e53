"""The HTTP server of the review page, on this machine. ``app.py`` is the file to read first."""
