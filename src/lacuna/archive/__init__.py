"""De-identifying archives: files and tables, worker processes, runs that can be continued.

::

    inputs → jobs → pool of workers → outputs, manifest, report

The main process (:mod:`~lacuna.archive.run`) lists the inputs, hands out jobs and keeps
the books. Workers (:mod:`~lacuna.archive.worker`) load the model once and do the rest.
"""
