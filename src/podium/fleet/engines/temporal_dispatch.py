"""Dispatch by Temporal: a workflow whose code never changes, and one activity for each turn at a
run.

The workflow only knows "is there more to do?", so no release of Podium can break the replay of a
running one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from podium.core.errors import UsageError
from podium.fleet.engines.dispatching import Handler, queue_of, queues_for, wait_for
from podium.fleet.orders import Result

LONGEST = timedelta(days=7)
"""Limit of one turn; the agents' own limits end it long before."""
AGAIN = timedelta(seconds=1)
"""After this time, a turn that reached the wrong worker is handed out again."""


class TemporalDispatch:
    swaps = False
    """A workflow belongs to one run, so a worker notified of it cannot take another."""

    def __init__(
        self, address: str, *, namespace: str = "default", beat_s: float, concurrency: int = 1
    ) -> None:
        self._address, self._namespace, self._beat_s, self._concurrency = (
            address,
            namespace,
            beat_s,
            concurrency,
        )
        self._client: Any = None

    async def submit(self, run: str, needs: Collection[str] = (), *, swept: bool = False) -> None:
        """Signal with start: there is one workflow per run, and if it exists it is woken.

        Sweeps wake nobody: every signal is stored, and a run waiting in line would collect
        thousands.
        """
        from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy  # noqa: PLC0415

        client = await self._connected()
        await client.start_workflow(
            "podium-drive",
            args=[run, self._beat_s],
            id=f"podium-{run}",
            task_queue=queue_of(needs),
            start_signal=None if swept else "wake",
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        )

    async def serve(
        self, handler: Handler, stop: asyncio.Event, labels: Collection[str] = ()
    ) -> None:
        from temporalio import activity  # noqa: PLC0415  # an extra
        from temporalio.exceptions import ApplicationError  # noqa: PLC0415
        from temporalio.worker import UnsandboxedWorkflowRunner, Worker  # noqa: PLC0415

        from podium.fleet.engines.temporal_workflow import Drive  # noqa: PLC0415

        beat_s = self._beat_s
        # The worker and the journal report how a turn ended; here it would come with a stack trace.
        logging.getLogger("temporalio.activity").setLevel(logging.ERROR)

        @activity.defn(name="podium-advance")
        async def advance(run: str) -> str:
            beating = asyncio.create_task(_beat(activity.heartbeat, beat_s / 2))
            try:
                result = await asyncio.shield(asyncio.ensure_future(handler(run)))
            finally:
                beating.cancel()
            if result is Result.ELSEWHERE:
                raise ApplicationError(f"run {run} is for another worker", next_retry_delay=AGAIN)
            if result is Result.FAILED:
                raise RuntimeError(f"the driver of run {run} died; the worker's log says why")
            return result.value

        while not stop.is_set():
            try:
                client = await self._connected()
                async with contextlib.AsyncExitStack() as stack:
                    for queue in queues_for(labels):
                        await stack.enter_async_context(
                            Worker(
                                client,
                                task_queue=queue,
                                workflows=[Drive],
                                activities=[advance],
                                workflow_runner=UnsandboxedWorkflowRunner(),
                                max_concurrent_activities=self._concurrency,
                                graceful_shutdown_timeout=LONGEST,
                            )
                        )
                    await stop.wait()
            except UsageError:
                raise
            # the server is unreachable or forgot us; current runs continue without it
            except Exception as fault:  # noqa: BLE001
                sys.stderr.write(
                    f"podium worker: Temporal cannot be reached; trying again: {fault}\n"
                )
                self._client = None
                await wait_for(stop, self._beat_s)

    async def _connected(self) -> Any:
        try:
            from temporalio.client import Client  # noqa: PLC0415  # an extra
        except ImportError:
            raise UsageError(
                "Temporal's client is not installed: `pip install 'podium[temporal]'`"
            ) from None
        if self._client is None:
            self._client = await Client.connect(self._address, namespace=self._namespace)
        return self._client


async def _beat(heartbeat: Any, pause_s: float) -> None:
    while True:
        heartbeat()
        await asyncio.sleep(pause_s)
