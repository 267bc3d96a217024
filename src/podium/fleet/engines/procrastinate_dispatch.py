"""Dispatch by procrastinate, for teams that have PostgreSQL and nothing else.

One job is one wake-up. A run has neither a lock nor a queueing lock, since a dead worker's job
would hold it for ever. A job whose worker died is removed and the sweeper creates a new one, so
nobody waits for the old job if that worker comes back.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Collection
from typing import Any

from podium.core.errors import UsageError
from podium.fleet.engines.dispatching import Handler, queue_of, queues_for, wait_for
from podium.fleet.orders import Result

TASK = "podium.drive"
AGAIN_S = 1
"""After this many seconds, a wake-up that reached the wrong worker is sent again."""
_WAITS = (
    "select 1 as one from procrastinate_jobs where task_name = %(task)s and status = 'todo' and "
    "args->>'run' = %(run)s limit 1"
)
_MADE = "select to_regclass('procrastinate_jobs') is not null as made"


class ProcrastinateDispatch:
    swaps = True

    def __init__(self, database: str, *, beat_s: float, concurrency: int = 1) -> None:
        self._database, self._beat_s, self._concurrency = database, beat_s, concurrency

    # one waiting wake-up is enough
    async def submit(self, run: str, needs: Collection[str] = (), *, swept: bool = False) -> None:  # noqa: ARG002
        async with self._opened(None) as app:
            if await app.connector.execute_query_all_async(_WAITS, task=TASK, run=run):
                return
            await app.configure_task(TASK, queue=queue_of(needs)).defer_async(run=run)

    async def serve(
        self, handler: Handler, stop: asyncio.Event, labels: Collection[str] = ()
    ) -> None:
        while not stop.is_set():
            try:
                async with self._opened(handler) as app:
                    await self._work(app, stop, queues_for(labels))
            # the database is unreachable; current runs continue without it
            except Exception as fault:  # noqa: BLE001
                sys.stderr.write(
                    f"podium worker: procrastinate stopped; starting it again: {fault}\n"
                )
                await wait_for(stop, self._beat_s)

    async def _work(self, app: Any, stop: asyncio.Event, queues: list[str]) -> None:
        worker = asyncio.create_task(
            app.run_worker_async(
                queues=queues,
                concurrency=self._concurrency,
                install_signal_handlers=False,
                delete_jobs="always",
                update_heartbeat_interval=self._beat_s / 2,
                stalled_worker_timeout=self._beat_s * 1.5,
                fetch_job_polling_interval=max(0.2, self._beat_s / 4),
            )
        )
        reaper = asyncio.create_task(self._reap(app))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([worker, stopped], return_when=asyncio.FIRST_COMPLETED)
        for each in (reaper, stopped, worker):
            each.cancel()
        found = await asyncio.gather(worker, reaper, stopped, return_exceptions=True)
        if isinstance(found[0], Exception):
            raise found[0]

    async def _reap(self, app: Any) -> None:
        from procrastinate.jobs import Status  # noqa: PLC0415  # an extra

        while True:
            with contextlib.suppress(
                Exception
            ):  # another worker may have removed it, or the database is unreachable
                for job in await app.job_manager.get_stalled_jobs(
                    seconds_since_heartbeat=self._beat_s * 1.5
                ):
                    await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
            await asyncio.sleep(self._beat_s / 2)

    @contextlib.asynccontextmanager
    async def _opened(self, handler: Handler | None) -> AsyncIterator[Any]:
        try:
            import procrastinate  # noqa: PLC0415  # an extra
        except ImportError:
            raise UsageError(
                "procrastinate is not installed: `pip install 'podium[postgres]'`"
            ) from None
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=self._database))

        @app.task(name=TASK, pass_context=True)
        async def drive(context: Any, run: str) -> None:
            if handler is None:
                return
            # The run belongs to the worker: if procrastinate loses its database, the driver is not
            # stopped.
            result = await asyncio.shield(asyncio.ensure_future(handler(run)))
            if result is Result.ELSEWHERE:
                again = app.configure_task(
                    TASK, queue=context.job.queue, schedule_in={"seconds": AGAIN_S}
                )
                await again.defer_async(run=run)

        async with app.open_async():
            await _ensure_schema(app)
            yield app


async def _ensure_schema(app: Any) -> None:
    (row,) = await app.connector.execute_query_all_async(_MADE)
    if not row["made"]:
        with contextlib.suppress(Exception):  # another process was faster
            await app.schema_manager.apply_schema_async()
