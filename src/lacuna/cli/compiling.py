"""Say once that code is being compiled: the first run on a machine is slow for that reason only."""

from __future__ import annotations

from lacuna.cli.console import say


def announce_compiling() -> None:
    """Tell the user as soon as a kernel has to be compiled rather than loaded from the cache."""
    from numba.core import event

    class _Once(event.Listener):
        told = False

        def on_start(self, _: object) -> None:
            if not self.told:
                self.told = True
                say("compiling for this machine, once; this takes some seconds …")

        def on_end(self, _: object) -> None:
            pass

    event.register("numba:compile", _Once())  # type: ignore[no-untyped-call]
