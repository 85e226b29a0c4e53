"""Who may use the server: tokens, sessions, and a pause after wrong tokens.

The *link token* is printed and stays valid while the server runs; API clients send it as a bearer
token. *Single-use tokens* are for the file that opens the browser. A token becomes a session,
whose id is in a cookie; only hashes are kept.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable

IDLE = 12 * 3600.0  #: seconds after which an unused session ends
MOST_SESSIONS = 1000
MOST_FAILURES, PAUSE = 5, 60.0  #: wrong tokens, then so many seconds without an attempt


class Paused(Exception):  # noqa: N818 — a state, not an error
    """No attempt is possible for some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = max(1, round(seconds))


class Sessions:
    """Tokens and sessions of a running server; threads may share them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.token = secrets.token_urlsafe(32)
        self._clock = clock
        self._lock = threading.Lock()
        self._single_use: set[bytes] = set()
        self._used: dict[bytes, float] = {}  # by session, when it was last used
        self._failures, self._pause_ends = 0, 0.0

    def single_use_token(self) -> str:
        """Return a token that opens one session."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._single_use.add(_hash(token))
        return token

    def open(self, token: str) -> str | None:
        """Return the id of a new session; ``None`` if the token is wrong.

        Raises :class:`Paused` after too many wrong ones, for the right one too.
        """
        with self._lock:
            self._check_pause()
            hashed = _hash(token)
            if hashed in self._single_use:
                self._single_use.remove(hashed)
            elif not self._is_token(token):
                self._count_failure()
                return None
            self._failures = 0
            session = secrets.token_urlsafe(32)
            self._used[_hash(session)] = self._clock()
            while len(self._used) > MOST_SESSIONS:
                del self._used[min(self._used, key=lambda one: self._used[one])]
            return session

    def is_open(self, session: str) -> bool:
        """Whether a session is open; it was used just now, if so."""
        now, hashed = self._clock(), _hash(session)
        with self._lock:
            used = self._used.get(hashed)
            if used is None:
                return False
            if now - used > IDLE:
                del self._used[hashed]
                return False
            self._used[hashed] = now
            return True

    def is_bearer(self, token: str) -> bool:
        """Whether a bearer token is right. A wrong one counts as a failure; see :meth:`open`."""
        if self._is_token(token):
            return True
        with self._lock:
            self._check_pause()
            self._count_failure()
        return False

    def _is_token(self, token: str) -> bool:
        return hmac.compare_digest(_hash(token), _hash(self.token))

    def _check_pause(self) -> None:
        left = self._pause_ends - self._clock()
        if left > 0:
            raise Paused(left)

    def _count_failure(self) -> None:
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            self._failures, self._pause_ends = 0, self._clock() + PAUSE


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
