"""The command line: one file per command, each a thin shell around a plain function."""
