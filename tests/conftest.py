"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: the first call of a kernel compiles it. In CI examples are the same every time.
settings.register_profile("lacuna", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("lacuna")
