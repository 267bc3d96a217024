"""Which tests share a worker: those that need an expensive fixture made once per module, and
those that are quick.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

TOGETHER = frozenset(
    {
        "acceptance/test_governed_large.py",
        "crash/test_every_write.py",
        "crash/test_feature.py",
        "crash/test_governed.py",
        "crash/test_roadmap_writes.py",
        "crash/test_ticket_every_write.py",
        "fleet/test_dashboard_browser.py",
        "fleet/test_store_on_the_fleet.py",
        "web/pages/test_script.py",
        "web/test_browser.py",
        "web/test_browser_pages.py",
        "workflows/test_feature_clusters.py",
        "workflows/test_feature_workflow.py",
        "workflows/test_governed_proofs.py",
        "workflows/test_harness_workflow.py",
        "workflows/test_ticket_workflow.py",
    }
)

BY_CASE = frozenset({"matrix/test_some_of_the_matrix.py", "upgrades/test_resuming.py"})
"""Modules with one expensive fixture for each first word of the case: one worker for each word."""

QUICK = ("core", "formats", "importing", "workflows")
"""Folders with thousands of tests of pure code: distributing each alone costs more than running
it.
"""

KEEP_TIME = ("agents", "beside", "browser", "fleet", "terminal")
"""Marks of tests that wait for a screen, a server or a process."""
KEPT = 3000
"""Characters kept of a first try's failure: a rare race should be found, not hidden."""
_late: list[str] = []


# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("podium", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("podium")


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test that waits for others may be late on a busy machine: it gets a second try, which the
    summary reports.

    In CI every test does: of thousands, one that fails once in a thousand runs should be reported,
    and the change still land.
    """
    if not os.environ.get("CI") and not any(item.get_closest_marker(mark) for mark in KEEP_TIME):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    # A test's time limit applies only once: a second try after it could run for ever.
    if any(each.failed for each in reports) and not any(
        "Timeout (>" in each.longreprtext for each in reports
    ):
        said = next(each.longreprtext for each in reports if each.failed)[-KEPT:]
        item._initrequest()  # type: ignore[attr-defined]
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        for each in reports:
            each.user_properties.append(("second try", said))
    for each in reports:
        item.ihook.pytest_runtest_logreport(report=each)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    said = dict(report.user_properties).get("second try")
    if report.when == "call" and said is not None:
        _late.append(f"{report.nodeid}\n{said}\n")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _late:
        terminalreporter.section("tried a second time")
        for each in _late:
            terminalreporter.line(each)


class Grouped(LoadScopeScheduling):
    """Uses our own group names: xdist 3.8 stores its own in an attribute that pytest 9 no longer
    has, and then finds none.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        if path.removeprefix("tests/") in BY_CASE:
            return nodeid.partition("-")[0]
        return path if _together(nodeid) or path.split("/")[1] in QUICK else nodeid

    def mark_test_complete(
        self, node: WorkerController, item_index: int, duration: float = 0
    ) -> None:
        """Forget finished work: xdist counts through all of it after every test, which takes a
        minute for 16,000 tests.
        """
        nodeid = self.registered_collections[node][item_index]
        scope = self._split_scope(nodeid)
        piece = self.assigned_work[node][scope]
        piece[nodeid] = True
        if all(piece.values()):
            del self.assigned_work[node][scope]
        self._reschedule(node)


@pytest.hookimpl(optionalhook=True)  # not called with `-p no:xdist`
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return Grouped(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Switch garbage collection off: collecting tests makes almost no garbage, and looking for
    it takes a sixth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The long ones first and the quick ones last, so that no worker has to wait for a long one at
    # the end.
    items.sort(key=lambda item: (not _together(item.nodeid), item.nodeid.split("/")[1] in QUICK))


def pytest_collection_finish() -> None:
    """Thousands of tests live until the end: searching them for garbage again and again costs
    more than the garbage.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _together(nodeid: str) -> bool:
    return nodeid.partition("::")[0].removeprefix("tests/") in TOGETHER | BY_CASE
