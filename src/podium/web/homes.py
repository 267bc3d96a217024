"""Where each run's files are, and which facade reads them: the project, or the mirror of a
fleet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.core.errors import PodiumError
from podium.state.lock import holder
from podium.state.run_folder import RunFolder
from podium.wiring import App

if TYPE_CHECKING:
    from podium.fleet.outlook import Outlook


class Homes:
    """`app` is for decisions and local runs; runs of a fleet are read through its mirror."""

    def __init__(self, project: Path, app: Callable[[], App], fleet: Outlook | None = None) -> None:
        self.project, self.app, self.fleet = project, app, fleet

    def far(self, run: str) -> bool:
        """Whether the run belongs to the fleet and its workers drive it."""
        return self.fleet is not None and self.fleet.has(run.partition("/")[0])

    def of(self, run: str) -> Path:
        """The folder whose `.podium` has the run."""
        return self.fleet.home if self.fleet is not None and self.far(run) else self.project

    def looking(self, run: str) -> App:
        return self.fleet.window() if self.fleet is not None and self.far(run) else self.app()

    def driven(self, run: str) -> bool:
        """Whether a process is driving the run now."""
        if self.fleet is not None and self.far(run):
            return self.fleet.holder(run) is not None
        lock = RunFolder(self.project, run).lock
        return lock.exists() and holder(str(lock)) is not None

    def more(self) -> Mapping[str, str]:
        """Runs that are not in the project, each with its folder."""
        if self.fleet is None:
            return {}
        runs = f"{self.fleet.home}/.podium/runs"
        return {run: f"{runs}/{run}" for run in self.fleet.runs()}

    def looked_again(self) -> bool:
        """Ask the fleet for what is new: somebody who has just submitted a run may open its page
        at once.
        """
        if self.fleet is not None:
            self.fleet.look()
        return self.fleet is not None

    def bring(self, run: str) -> None:
        """Fetch the files of the run's steps; if that fails, the known ones stay."""
        if self.fleet is not None and self.far(run):
            try:
                self.fleet.files(run)
            except PodiumError:
                return  # without its files, a page still shows what the journal knows

    def documents(self, run: str, paths: Sequence[str]) -> Path:
        """The folder with the project's files as the run has them."""
        return (
            self.fleet.documents(run, paths)
            if self.fleet is not None and self.far(run)
            else self.project
        )

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        return self.looking(run).journal.inbox(run)

    def decided(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        """The inbox for display; empty if it cannot be read."""
        try:
            return self.inbox(run)
        except PodiumError:
            return {}
