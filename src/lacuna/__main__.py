"""The command ``lacuna``, also ``python -m lacuna``; Ctrl-C during its import ends it quietly."""

import os
import sys
from typing import NoReturn

#: Read when numpy is imported. lacuna divides work among threads itself; more of them in each
#: matrix product would wait for one another.
BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def run() -> NoReturn:
    """Import and run the command line."""
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        from lacuna.cli.main import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
