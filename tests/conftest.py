"""Which tests run in one process: those that stand on something dear that is made once for a module."""

from __future__ import annotations

import gc

import pytest

TOGETHER = (
    "acceptance/test_governed_large.py", "crash/test_every_write.py", "crash/test_feature.py", "crash/test_governed.py", "crash/test_roadmap_writes.py",
    "crash/test_ticket_every_write.py", "fleet/", "web/test_browser", "workflows/test_feature_workflow.py",
    "workflows/test_governed_proofs.py", "workflows/test_harness_workflow.py", "workflows/test_ticket_workflow.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if group := _group(item):
            item.add_marker(pytest.mark.xdist_group(group))
    # The long ones first: whoever comes last is waited for.
    items.sort(key=lambda item: not _group(item))


def pytest_collection_finish() -> None:
    """Thousands of tests are there to the end: to look through them for garbage again and again costs more than the garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _group(item: pytest.Item) -> str:
    where = item.nodeid.partition("::")[0].removeprefix("tests/")
    return next((each for each in TOGETHER if where.startswith(each)), "")
