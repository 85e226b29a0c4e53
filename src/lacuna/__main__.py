"""The command ``lacuna``, also ``python -m lacuna``; Ctrl-C during its import ends it quietly."""

import sys
from typing import NoReturn


def run() -> NoReturn:
    """Import and run the command line."""
    try:
        from lacuna.cli.main import main
    except KeyboardInterrupt:
        sys.exit(130)
    main()


if __name__ == "__main__":
    run()
