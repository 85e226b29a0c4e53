"""Finishing a project: a model, scores on notes that nobody chose, a promise, and a protocol.

Start with `finish.py`. `sealed.py` says which patients can be scored with, `discipline.py` refuses
those that a model or its ancestors may have seen, `promise_meter.py` counts them.
"""
