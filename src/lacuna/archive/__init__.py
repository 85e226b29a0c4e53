"""De-identifying archives: files and tables, worker processes, runs that can be resumed.

::

    inputs → jobs → pool of workers → outputs, manifest, report

The main process (:mod:`~lacuna.archive.run`) lists the inputs, hands out jobs and keeps the ledger
and the manifest. Workers (:mod:`~lacuna.archive.worker`) load the model once, read, de-identify and
write. The options of a run (:mod:`~lacuna.archive.options`) are one record.
"""
