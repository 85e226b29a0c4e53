"""The one decorator for compiled code: ``@kernel`` is ``numba.njit`` with a safe disk cache.

numba keeps compiled code next to the source, or in the user's cache folder if the package is
read-only. If neither can be written (read-only image, no home) it refuses to decorate at all; then
we compile without a cache: slower to start, otherwise the same.

Sums may be reordered so that loops vectorise; infinities and NaN keep their meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.registry import cpu_target

OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz"}}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first call, without the GIL, cached on disk where possible."""
    try:
        compiled = numba.njit(cache=True, **OPTIONS)(function)
    except RuntimeError:  # "cannot cache function: no locator available"
        compiled = numba.njit(**OPTIONS)(function)
    if compiled is not function:  # as it is with NUMBA_DISABLE_JIT, to measure coverage
        _once_for_each_type(compiled)
    return cast(Function, compiled)


def _once_for_each_type(compiled: Any) -> None:
    """Keep kernels that call this one from compiling it again for every constant they pass."""
    resolve = compiled.get_call_template

    def without_constants(args: Any, kws: Any) -> Any:
        return resolve(tuple(map(types.unliteral, args)), kws)

    compiled.get_call_template = without_constants


def load_without_blas() -> None:
    """Make numba load what it needs to run compiled code, but not scipy.

    It would import scipy.linalg, which takes as long as everything else, only to know whether
    ``np.kron`` can be compiled; no kernel calls that. Only for processes of our own.
    """
    blas = "scipy.linalg.cython_blas"
    if blas not in sys.modules:
        sys.modules[blas] = None  # type: ignore[assignment]
        try:
            cpu_target.target_context.refresh()
        finally:
            del sys.modules[blas]


def before_compiling(tell: Callable[[], None]) -> None:
    """Call `tell` once, when the first kernel is compiled rather than loaded from the cache."""

    class Once(event.Listener):
        told = False

        def on_start(self, _: event.Event) -> None:
            if not self.told:
                self.told = True
                tell()

        def on_end(self, _: event.Event) -> None:
            pass

    event.register("numba:compile", Once())  # type: ignore[no-untyped-call]
