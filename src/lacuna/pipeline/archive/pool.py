"""Who does the jobs: this process, or several of its own with a queue each.

Processes are started afresh and spoken to through pipes. Each has few jobs waiting, so that memory
stays bounded; handing out another one waits.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from typing import Protocol

import msgspec

from lacuna.deid.detector import Detector
from lacuna.errors import StoppedError
from lacuna.pipeline.archive.messages import Job, Result, Setup
from lacuna.pipeline.archive.worker import Worker, receive, send

WAITING = 2  #: jobs that wait for each worker
WORKER = ("-m", "lacuna.pipeline.archive.worker")  #: what Python is told to run


class Pool(Protocol):
    """Workers, by number."""

    size: int

    def submit(self, worker: int, job: Job) -> None:
        """Give a job to a worker; waits while it has enough to do."""

    def waiting(self, worker: int) -> int:
        """Return how many jobs a worker has not done yet."""

    def collect(self, *, wait: bool) -> list[Result]:
        """Return results that are there; with `wait` at least one, if any is to come."""

    def close(self) -> None:
        """End all workers, whatever they are doing."""


class OwnProcess:
    """One worker, in this process."""

    size = 1

    def __init__(self, setup: Setup, detector: Detector) -> None:
        self._worker = Worker(setup, detector)
        self._results: deque[Result] = deque()

    def submit(self, worker: int, job: Job) -> None:
        """Do a job at once."""
        assert worker == 0
        self._results.append(self._worker.do(job))

    def waiting(self, worker: int) -> int:
        """Return 0: jobs are done at once."""
        assert worker == 0
        return 0

    def collect(self, *, wait: bool) -> list[Result]:
        """Return all results."""
        assert wait in (True, False)
        results = [*self._results]
        self._results.clear()
        return results

    def close(self) -> None:
        """Do nothing: there is nothing to end."""


class Processes:
    """Several workers, each a process with a thread here that speaks to it."""

    def __init__(self, setup: Setup, size: int) -> None:
        self.size = size
        self._results: queue.SimpleQueue[tuple[int, Result | None]] = queue.SimpleQueue()
        self._queues: list[queue.Queue[bytes | None]] = [queue.Queue(WAITING) for _ in range(size)]
        self._pending = [0] * size
        self._processes = [_start() for _ in range(size)]
        first = msgspec.msgpack.encode(setup)
        self._threads = [
            threading.Thread(target=self._speak, args=(number, first), daemon=True)
            for number in range(size)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, worker: int, job: Job) -> None:
        """Give a job to a worker; waits while it has enough to do."""
        self._pending[worker] += 1
        self._queues[worker].put(msgspec.msgpack.encode(job))

    def waiting(self, worker: int) -> int:
        """Return how many jobs a worker has not done yet."""
        return self._pending[worker]

    def collect(self, *, wait: bool) -> list[Result]:
        """Return results that are there; with `wait` at least one, if any is to come."""
        results: list[Result] = []
        while True:
            try:
                block = wait and not results and any(self._pending)
                worker, result = self._results.get(block=block)
            except queue.Empty:
                return results
            if result is None:
                raise StoppedError("a worker process ended without saying why")
            self._pending[worker] -= 1
            results.append(result)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for process in self._processes:
            process.kill()
            process.wait()
        for waiting, thread in zip(self._queues, self._threads, strict=True):
            with suppress(queue.Empty):
                while True:
                    waiting.get_nowait()
            waiting.put(None)
            thread.join()
        for process in self._processes:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.close()
            with suppress(OSError):  # what was not sent cannot be
                process.stdin.close()

    def _speak(self, number: int, setup: bytes) -> None:
        process, jobs = self._processes[number], self._queues[number]
        assert process.stdin is not None
        assert process.stdout is not None
        decode = msgspec.msgpack.Decoder(Result).decode
        try:
            send(process.stdin, setup)
            while (job := jobs.get()) is not None:
                send(process.stdin, job)
                answer = receive(process.stdout)
                if answer is None:
                    break
                self._results.put((number, decode(answer)))
            else:
                return
        except (OSError, ValueError):
            pass
        self._results.put((number, None))
        while jobs.get() is not None:  # nobody shall wait for a place in the queue
            pass


def _start() -> subprocess.Popen[bytes]:
    silent = None if os.environ.get("LACUNA_DEBUG") else subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, *WORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=silent,
    )
