"""A new run for the fleet: what was asked, the files as they are here, and the first event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import podium
from podium.core import events
from podium.core.errors import UsageError
from podium.engine import looking
from podium.engine.workspace import Workspace
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.line.needs import checked
from podium.fleet.line.wants import Wants, wants_of, written
from podium.fleet.parcels.parcels import Parcels
from podium.fleet.places import without_secrets
from podium.fleet.store.stores import above_of, store_of
from podium.state import run_folder
from podium.state.run_folder import RunFolder
from podium.state.sealing import stamp
from podium.wiring import App
from podium.wiring_values import RunOptions
from podium.workflows.entry import check_names

if TYPE_CHECKING:
    from podium.core.workflow import Workflow


class Submitting(App):
    """A project from which runs are submitted to the fleet. It drives none of them."""

    def _wants(self, workflow: Workflow, request: Mapping[str, Any]) -> Wants:
        """Who plays the roles, as far as it is known here."""
        named = {
            role: request["roles"].get(role) or request["agent"] or self.settings.agent_for(role)
            for role in workflow.roles()
        }
        return wants_of(named.values(), self.settings)

    def submit(
        self,
        workflow: str,
        inputs: Sequence[str],
        options: RunOptions,
        journal: PostgresJournal,
        remote: str,
        needs: Sequence[str] = (),
    ) -> str:
        """Create the run and return its id. The files go first, so that every run that exists
        can be unpacked.
        """
        entry, begin = self._begin(workflow, inputs, options)
        check_names(begin.workflow, options.roles, options.until)
        request = {
            **self._request(entry, begin, inputs, options),
            "adopt": looking.foreign(self, begin),
            "record": "",
            "needs": checked(needs),
        }
        request |= {
            "remote": without_secrets(remote),
            "user": options.by,
            "wants": written(self._wants(begin.workflow, request)),
        }
        self._defined(begin.workflow, entry.name)
        run_id = self._new_id(begin.slug, options.run_id)
        if journal.has(run_id):
            raise UsageError(f"the fleet already has a run {run_id}; choose another --run-id")
        workspace = Workspace.find(self.project, self.project / ".podium")
        if workspace.kind != "repository":
            raise UsageError(
                "code moves to workers as commits: make this project a git repository with a "
                "first commit"
            )
        run_folder.prepare(self.project, self.parts.disk)
        folder = RunFolder(self.project, run_id)
        run_folder.save_request(folder, request, self.parts.disk)
        try:
            fleet = self.settings.fleet
            parcels = Parcels(
                workspace,
                remote,
                run_id,
                0,
                patience_s=0,
                store=store_of(fleet),
                above=above_of(fleet),
            )
            parcel = parcels.send(stamp(self.parts.clock()))
        finally:
            folder.request.unlink()
            folder.path.rmdir()
        started = events.run_started(
            begin.workflow.first(**begin.members),
            begin.workflow.name,
            request["inputs"],
            podium.__version__,
        )
        if not journal.create(run_id, [started], request=request, parcel=parcel):
            raise UsageError(f"the fleet already has a run {run_id}; choose another --run-id")
        return run_id
