"""The number of a role's dispatch counts over a run and its children, and goes on where it was
left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.crash.flows import Flow, ItemFlow, Player, fan, quick_folder

from podium.agents.protocol import Answer, Job
from podium.core.workflow import Workflow

Make = Callable[..., Flow]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    with quick_folder() as root:

        def made(workflow: type[Workflow], agent: Player | None = None) -> Flow:
            return Flow(root, workflow, agent or Player()).install(monkeypatch)

        yield made


class Counting(Player):
    """Notes which call of its role each dispatch is."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, list[int]] = {}

    async def perform(self, job: Job) -> Answer:
        self.calls.setdefault(job.brief.role, []).append(job.call)
        return await super().perform(job)


def test_children_go_on_counting_where_the_others_left_off(make: Make) -> None:
    agent = Counting()
    assert make(fan(ItemFlow, "A", "B", "C", limit=1), agent).start().exit_code == 0
    assert all(found == list(range(len(found))) for found in agent.calls.values())
    assert max(map(len, agent.calls.values())) >= 3


def test_two_of_one_role_side_by_side_have_different_numbers(make: Make) -> None:
    agent = Counting()
    agent.pause = 0.01
    assert make(fan(ItemFlow, "A", "B", "C", limit=3), agent).start().exit_code == 0
    assert all(sorted(found) == list(range(len(found))) for found in agent.calls.values())
