"""Pools of workers: one in this process, or several processes with a queue each.

Processes are started at once, so that they load while this one lists its inputs, and communicate
through pipes. The queue of each is short, so that memory is bounded; submitting waits for a place.
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

from lacuna.archive.messages import Job, Result, encode_options
from lacuna.archive.options import ArchiveOptions
from lacuna.archive.process import Pipes, Ready
from lacuna.archive.worker import Worker
from lacuna.deid.keys import PASSPHRASE_VARIABLE
from lacuna.errors import ConfigError, StoppedError
from lacuna.inference.batch import THREADS_VARIABLE
from lacuna.pipeline.detection import Detection

WAITING = 2  #: jobs in the queue of each worker
PROCESS = ("-m", "lacuna.archive.process")  #: arguments of Python
_ENDED = "a worker process ended unexpectedly"


class Pool(Protocol):
    """Workers, by number."""

    size: int

    def begin(self, options: ArchiveOptions, detection: Detection) -> None:
        """Wait until the workers are ready; raise what they cannot load."""

    def submit(self, worker: int, job: Job) -> None:
        """Give a job to a worker; wait while its queue is full."""

    def waiting(self, worker: int) -> int:
        """Return the number of unfinished jobs of a worker."""

    def collect(self, *, wait: bool) -> list[Result]:
        """Return available results; with `wait` at least one, if any is pending."""

    def close(self) -> None:
        """Stop all workers, whatever they are doing."""


class OwnProcess:
    """One worker, in this process."""

    size = 1

    def __init__(self) -> None:
        self._worker: Worker
        self._results: deque[Result] = deque()

    def begin(self, options: ArchiveOptions, detection: Detection) -> None:
        """Load the model."""
        self._worker = Worker(options, detection.detector)

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
        """Do nothing: there is no process to stop."""


class Processes:
    """Several workers: processes, each with a thread here that talks to it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._results: queue.SimpleQueue[tuple[int, Result | None]] = queue.SimpleQueue()
        self._queues: list[queue.Queue[bytes | None]] = [queue.Queue(WAITING) for _ in range(size)]
        self._pending = [0] * size
        self._threads: list[threading.Thread] = []
        self._process, (self._control, *self._pipes) = _start(size + 1)

    def begin(self, options: ArchiveOptions, detection: Detection) -> None:  # noqa: ARG002
        """Wait until the processes have loaded the model and everything else."""
        try:
            self._control.send(encode_options(options))
            answer = self._control.receive()
        except OSError:
            answer = None
        if answer is None:
            raise StoppedError(_ENDED)
        ready = msgspec.msgpack.decode(answer, type=Ready)
        if ready.error is not None:
            raise ConfigError(ready.error)
        for number in range(self.size):
            thread = threading.Thread(target=self._talk, args=(number,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def submit(self, worker: int, job: Job) -> None:
        """Give a job to a worker; wait while its queue is full."""
        self._pending[worker] += 1
        self._queues[worker].put(msgspec.msgpack.encode(job))

    def waiting(self, worker: int) -> int:
        """Return the number of unfinished jobs of a worker."""
        return self._pending[worker]

    def collect(self, *, wait: bool) -> list[Result]:
        """Return available results; with `wait` at least one, if any is pending."""
        results: list[Result] = []
        while True:
            try:
                block = wait and not results and any(self._pending)
                worker, result = self._results.get(block=block)
            except queue.Empty:
                return results
            if result is None:
                raise StoppedError(_ENDED)
            self._pending[worker] -= 1
            results.append(result)

    def close(self) -> None:
        """Stop all workers, whatever they are doing, and wait until they have ended."""
        if not self._threads:  # it may still be loading
            self._process.kill()
        self._control.close()
        self._process.wait()
        for waiting, thread in zip(self._queues, self._threads, strict=False):
            with suppress(queue.Empty):
                while True:
                    waiting.get_nowait()
            waiting.put(None)
            thread.join()
        for pipes in self._pipes:
            pipes.close()

    def _talk(self, number: int) -> None:
        pipes, jobs = self._pipes[number], self._queues[number]
        decode = msgspec.msgpack.Decoder(Result).decode
        try:
            while (job := jobs.get()) is not None:
                pipes.send(job)
                answer = pipes.receive()
                if answer is None:
                    break
                self._results.put((number, decode(answer)))
            else:
                return
        except (OSError, ValueError):
            pass
        self._results.put((number, None))
        while jobs.get() is not None:  # so that submit never waits forever
            pass


def _start(pipes: int) -> tuple[subprocess.Popen[bytes], list[Pipes]]:
    """Start the process that forks the workers; return it with pairs of pipes."""
    jobs, results = [os.pipe() for _ in range(pipes)], [os.pipe() for _ in range(pipes)]
    theirs = [(job[0], result[1]) for job, result in zip(jobs, results, strict=True)]
    silent = None if os.environ.get("LACUNA_DEBUG") else subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, *PROCESS, str(os.getpid()), *(f"{i}:{o}" for i, o in theirs)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=silent,
        pass_fds=[end for pair in theirs for end in pair],
        env=_environment(),
    )
    for pair in theirs:
        for end in pair:
            os.close(end)
    return process, [Pipes(result[0], job[1]) for job, result in zip(jobs, results, strict=True)]


def _environment() -> dict[str, str]:
    """Return the environment of workers: one thread each, and no passphrase.

    A process that forks must have no threads, and each worker uses one core.
    """
    kept = {name: value for name, value in os.environ.items() if name != PASSPHRASE_VARIABLE}
    return kept | {"OPENBLAS_NUM_THREADS": "1", THREADS_VARIABLE: "1"}
