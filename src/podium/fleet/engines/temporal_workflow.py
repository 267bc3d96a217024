"""The constant workflow. Do not change it: running workflows are replayed with this code."""

from __future__ import annotations

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

MOST_TURNS = 500


@workflow.defn(name="podium-drive")
class Drive:
    def __init__(self) -> None:
        self.woken = False

    @workflow.signal
    def wake(self) -> None:
        self.woken = True

    @workflow.run
    async def run(self, run: str, beat_s: float) -> str:
        for _ in range(MOST_TURNS):
            self.woken = False
            result: str = await workflow.execute_activity(
                "podium-advance",
                run,
                result_type=str,
                start_to_close_timeout=timedelta(days=7),
                heartbeat_timeout=timedelta(seconds=beat_s * 1.5),
                retry_policy=RetryPolicy(
                    initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=60)
                ),
            )
            if result != "continue" and not self.woken:
                return result
        return workflow.continue_as_new(args=[run, beat_s])
