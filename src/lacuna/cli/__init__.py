"""The command line: one file per command, a thin layer over the library.

:mod:`main` lists the commands; :mod:`option_records` turns records into options. Commands share the
options in :mod:`corpora`, :mod:`detector_options` and :mod:`results`, and the output in
:mod:`console` and :mod:`highlight`; what ``deid`` shows is in :mod:`deid_screen`.
"""
