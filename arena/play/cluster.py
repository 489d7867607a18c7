"""An executor that runs jobs on the workers of a dask cluster, and that survives their deaths.

It needs the package `distributed` (the extra "cluster").
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from importlib import import_module
from time import monotonic
from typing import Any

CONNECT_SECONDS = 10.0  # for a scheduler to answer at the start
RECONNECT_SECONDS = 60.0  # for a scheduler that is started again during a run
MIN_JOBS_IN_FLIGHT = 64
REFRESH_SECONDS = 10.0  # between two questions about the number of workers
NO_PACKAGE_MESSAGE = (
    "a cluster needs the package distributed, which is not installed here; install it by "
    'pip install "adversarial-search-course[cluster]"'
)
NO_COURSE_MESSAGE = (
    "a worker of the cluster cannot import this course ({error}).  Install the same version of it "
    "on each worker, and start the workers again"
)


class ClusterExecutor(Executor):
    """An executor that runs its jobs on the workers of the dask scheduler at an address.

    An address looks like tcp://host:8786.  The exception of a job whose worker has died, or that
    was lost with the scheduler, is BrokenExecutor; the job can be submitted again.  The executor
    itself connects again to a scheduler that is back within a minute.

    ConnectionError if no scheduler answers at the address; ImportError without `distributed`.
    """

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise ImportError(NO_PACKAGE_MESSAGE) from None
        try:
            # Tried briefly first, because the time limit of a client holds for each reconnection.
            distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False).close()
            self._client = distributed.Client(
                address, timeout=RECONNECT_SECONDS, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no dask scheduler answers at {address!r}.  Start one by `dask scheduler`, and "
                "give the address that it prints, such as tcp://192.168.0.7:8786"
            ) from error
        if not self.num_workers:
            message = f"the scheduler at {address} has no workers yet; the jobs wait for the first"
            warnings.warn(message, stacklevel=2)
        self.address, self._killed_worker_error = address, distributed.KilledWorker
        self._num_threads, self._asked = 0, -REFRESH_SECONDS

    @property
    def num_workers(self) -> int:
        """The number of workers that the scheduler has now."""
        return len(self._client.nthreads())

    @property
    def max_jobs_in_flight(self) -> int:
        """The number of jobs to submit at a time, so that no worker is idle: two per thread."""
        if monotonic() - self._asked > REFRESH_SECONDS and self._client.status == "running":
            self._asked = monotonic()
            with suppress(OSError):  # the scheduler has just gone: the last number is good enough
                self._num_threads = sum(self._client.nthreads().values())
        return max(MIN_JOBS_IN_FLIGHT, 2 * self._num_threads)

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Return the future of a call on a worker."""
        future: Future[Any] = Future()
        if self._client.status in ("closing", "closed"):
            message = f"the scheduler at {self.address} did not come back within a minute"
            raise ConnectionError(message)
        call = import_module("distributed.protocol.pickle").dumps((function, arguments, named))
        # A pure call would not be computed again when a lost job is submitted again.
        sent = self._client.submit(_call_maker(), call, pure=False)
        sent.add_done_callback(lambda done: self._copy_outcome(done, future))
        return future

    def _copy_outcome(self, done: Any, future: Future[Any]) -> None:
        """Give the outcome of a future of dask to a future of `concurrent.futures`."""
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(done.result())
        except ImportError as error:
            future.set_exception(RuntimeError(NO_COURSE_MESSAGE.format(error=error)))
        except (Exception, asyncio.CancelledError) as error:
            if done.status == "error" and not isinstance(error, self._killed_worker_error):
                future.set_exception(error)  # of the job itself
            else:
                future.set_exception(BrokenExecutor(f"{type(error).__name__}: {error}"))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection.  The scheduler forgets the jobs of this executor."""
        self._client.close()


def _call_maker() -> Callable[[bytes], Any]:
    """Return the function that makes a pickled call on a worker.

    An inner function is sent as code, and not as a name in this module.  So it can start on a
    worker without this course, and raises an ImportError there, while a name that cannot be
    imported would end the worker without a word.
    """

    def make_call(call: bytes) -> Any:
        # Nothing of this module is there.  The format of the call is dask's own.
        from importlib import import_module

        function, arguments, named = import_module("distributed.protocol.pickle").loads(call)
        return function(*arguments, **named)

    return make_call
