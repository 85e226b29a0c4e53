"""``python -m lacuna`` is the command line."""

from lacuna.cli.main import main

if __name__ == "__main__":
    main()
