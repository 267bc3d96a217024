from __future__ import annotations

import pytest

from podium.workflows.ticket.progress.log_lines import EVENTS
from podium.workflows.ticket.tasks.compose import compose
from podium.workflows.ticket.tasks.splitting import NoTasks, Split, UseTasks, settle

GOOD = compose({}, "", {})


def test_good_tasks_need_no_splitter():
    found = settle(GOOD)
    assert isinstance(found, UseTasks)
    assert found.graph.tasks[0].id == "TASK-1"
    assert found.event in EVENTS
    assert isinstance(settle(GOOD, after_splitter=True), UseTasks)


@pytest.mark.parametrize("text", [None, "", " \n"])
def test_without_tasks_the_splitter_writes_them(text: str | None):
    found = settle(text)
    assert found == Split()
    assert found.event == ""
    assert "no tasks.yaml" in found.reason


def test_bad_tasks_are_told_and_split_again():
    found = settle(GOOD.replace("PENDING", "ACCEPTED"))
    assert isinstance(found, Split)
    assert found.event in EVENTS
    assert "TASK-1 has status ACCEPTED" in found.reason


@pytest.mark.parametrize("text", [None, "tasks: []"])
def test_a_splitter_that_fails_too_ends_the_way(text: str | None):
    found = settle(text, after_splitter=True)
    assert isinstance(found, NoTasks)
    assert found.reason.startswith("no usable tasks.yaml: tasks.yaml")
