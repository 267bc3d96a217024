"""One run being driven: its place in the journal, its state file, its history and its documents."""

from __future__ import annotations

import os
from collections.abc import Collection, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from podium.core import events, keys
from podium.core.digest import MISSING, digest
from podium.core.errors import Fault, InputError
from podium.core.history import History
from podium.core.run import Run, Status, copied
from podium.core.vocabulary import not_understood
from podium.core.workflow import Step, Workflow
from podium.engine.services import Services
from podium.state import state_file
from podium.state.port import Event, Opened
from podium.state.regular import Signature, read_regular, signature_of
from podium.state.run_folder import RunFolder

_Result = TypeVar("_Result")
UNREADABLE = "unreadable"
"""Instead of a digest, for anything that is not a readable file."""


class Session:
    """The only place that appends to a run's journal and replaces its state."""

    kept: frozenset[str] = frozenset()
    """Protected files that changed before this owner came, and that a person kept."""

    def __init__(
        self, services: Services, workflow: Workflow, opened: Opened, prefix: str = ""
    ) -> None:
        self.services, self.workflow, self.opened, self.prefix = services, workflow, opened, prefix
        self.folder = RunFolder(services.project, opened.run)
        self.root = os.fspath(services.project)
        self.history = History(opened.events)
        self.run: Run = workflow.first()
        self.pending: list[dict[str, Any]] = []
        """Facts that go along with the next append: losing them in a crash costs nothing."""
        self.cache = os.path.join(services.project, ".podium", "cache")
        """Where files are prepared, so that a half-written one is never among the user's own."""
        self.set_back: dict[str, int] = {}
        """How often this owner did each step again because something it depends on had changed."""
        self.sent_on = self.said = ""
        """Why a person sent this run on, which is passed to blocked children, and what that person
        said.
        """
        self.landing: Any = None
        """Work of the step just settled, to be landed after it is recorded."""
        self.guard: Any = None
        """The tamper guard, shared with child runs."""
        self.base: Any = None
        """The checkpoint from which all agents side by side start; None: each starts from the
        checkout.
        """
        self.calls: Any = None
        """The count of dispatches by role, shared with child runs."""
        self.failures: dict[tuple[str, str, str], str] = {}
        """Name and line of commands, and the tree on which they failed since this owner drives the
        run: why.
        """
        self.others: Any = None
        """What is known about the project's other runs, shared with child runs."""
        self.above: Session | None = None
        """Of a child run, the session of the run above it."""
        self.landed: Any = None
        """What the run brought into the checkout, shared with child runs; None until first
        needed.
        """
        self.watched: dict[str, Signature] = {}
        """Files that finished steps depend on, as they were when nothing was stale."""
        self.looked = float("-inf")
        """When all of them were last looked at, by the monotonic clock."""
        self.checked: set[str] = set()
        """Keys of finished steps whose files were compared by content and found unchanged."""
        self.grounded: list[str] = []
        self.ground: dict[str, None] = {}
        """The files under the keys in `grounded`, in their order: the lineage, as far as it has
        been processed.
        """
        self.grounds: dict[str, list[str]] = {}
        """Key of a finished step to the paths it depends on."""
        self.seals = frozenset(name for name, step in workflow.steps.items() if step.seals)
        self.told = _trailing(opened.events, workflow.name)
        """How many of the workflow's own events a torn write left at the end: they are not
        recorded again.
        """
        self.going = False
        """Whether the loop is driving the run now, so that it will soon wait for an agent or
        rest.
        """
        self._signature: Signature = ()
        self._owed: Mapping[str, Any] | None = None
        """The state that has not been written to the file yet."""
        self._digests: dict[str, tuple[Signature, str]] = {}

    @property
    def top(self) -> Session:
        """The session of the root run."""
        return self if self.above is None else self.above.top

    # -- journal and state

    def append(self, *facts: Mapping[str, Any], durable: bool = True) -> None:
        """Append facts to the journal; with `durable` no power cut can undo them or any before
        them.
        """
        if facts or self.pending:
            self._append(facts, durable=durable)
        elif durable:
            self.secure()

    def secure(self) -> None:
        """Make durable what was appended with `durable=False`."""
        self.services.journal.sync(self.opened)

    async def beside(self, waiting: Coroutine[Any, Any, _Result]) -> _Result:
        """Await `waiting`; meanwhile make earlier appends durable and write the files that are
        due.
        """
        return await self.services.scribe.beside(waiting, self.secure)

    def _append(
        self, facts: Sequence[Mapping[str, Any]], *, durable: bool = True
    ) -> Sequence[Event]:
        services = self.services
        batch, self.pending = [*self.pending, *facts], []
        found = services.journal.append(
            self.opened, self.opened.seq, batch, durable=durable, clean=services.redact
        )
        for event in found:
            self.history.absorb(event)
            services.observer.event(event)
        return found

    def commit(self, run: Run, *facts: Mapping[str, Any]) -> None:
        """First the event, synced; then the state, now or while waiting for the next agent: the
        journal can roll it forward.
        """
        run.reason, run.note = self.services.redact(run.reason), self.services.redact(run.note)
        # an older state must not be written once the journal has a newer one: it would look like an
        # edit
        self._owed = None
        written = self._append(facts)
        self.run = run
        state = state_file.last_state(written)
        if not self.going or run.status is not Status.ACTIVE or not state:
            self.save_state(state)
            return
        self._owed = state
        self.services.scribe.do(self.pay)

    def pay(self) -> None:
        """Write the state of a run that goes on, while it waits for an agent; not if somebody
        else changed the file first.
        """
        state, self._owed = self._owed, None
        if state is None or signature_of(self.folder.state) != self._signature:
            return
        self.save_state(state)
        if self.guard is not None:
            self.guard.files.expect((self.folder.state,))

    def save_state(self, state: Mapping[str, Any] | None = None) -> None:
        """`state`: as in the event just appended, if there is one."""
        self._owed = None
        state_file.save(
            self.folder.state,
            self.opened.run,
            self.workflow.name,
            state or events.state_of(self.run),
            self.opened.seq,
            self.services.disk,
        )
        self._signature = signature_of(self.folder.state)

    def reload(self) -> tuple[str, ...]:
        """Read the state again if it changed on disk; returns a person's changes, in words."""
        now = signature_of(self.folder.state)
        if now and now == self._signature:
            return ()
        self._owed = None
        found = state_file.current(self.folder.state, self.opened.events, self.workflow.run_type)
        if found.kind == "edited":
            state_file.refuse(self.folder.state, self.workflow.faults(self.recorded(), found.run))
        self.run = found.run
        if found.kind in {"rolled_forward", "rebuilt"}:
            self.save_state()
        else:
            self._signature = now
        return found.changes

    def recorded(self) -> Run:
        """Where the run stands according to its journal alone, whatever its state file says."""
        run: Run = state_file.reconcile(None, self.opened.events, self.workflow.run_type).run
        return run

    def refuse_newer(self) -> None:
        """InputError if the journal contains something that this Podium does not understand;
        nothing is written then.
        """
        found = not_understood(self.opened.events)
        if found is not None:
            seq, what = found
            wrote = ", ".join(
                dict.fromkeys(
                    str(each["version"]) for each in self.opened.events if each.get("version")
                )
            )
            mend = (
                f"Podium {wrote or '?'} drove this run: continue with the newest of those; "
                "nothing was changed"
            )
            raise InputError(Fault(f"{self.folder.journal}:{seq}", what, mend))

    # -- names

    def key(self, step: Step, *more: str) -> str:
        if step.key is not None:
            return keys.join(self.prefix, step.key(self.run), *more)
        visit = self.run.visits.get(step.name, 1)
        return keys.join(self.prefix, keys.numbered(step.key_base, visit, loops=step.loops), *more)

    def marker(self, key: str) -> str:
        """What the processes of a dispatch carry; unique on the machine, since run ids are
        unique only in a project.
        """
        return f"{self.services.project}//{self.opened.run}/{key}"

    def place(self, path: str) -> Path:
        """A project path on disk."""
        return self.services.project / path

    # -- files by content

    def digest(self, path: str, essence: Any = None) -> str:
        """The digest of a project file, or of its essence if given; unchanged files are not read
        again.
        """
        where = f"{self.root}/{path}"
        signature = signature_of(where)
        if not signature:
            return MISSING
        name = path if essence is None else f"{path}\0essence"
        known = self._digests.get(name)
        if known is not None and known[0] == signature:
            return known[1]
        found = self._digest(where, essence)
        self._digests[name] = (signature, found)
        return found

    def unchanged(self, places: Collection[str]) -> bool:
        """Whether all of these files that were looked at before are unchanged; costs one stat
        each.
        """
        watched, same = self.watched, True
        for where in places:
            now = signature_of(where)
            if watched.get(where) != now:
                same = same and where not in watched
                watched[where] = now
        return same

    def _digest(self, where: str, essence: Any) -> str:
        data = read_regular(where)
        if data is None:
            return UNREADABLE
        if essence is None:
            return digest(data)
        return digest(essence(data.decode(errors="replace")))

    def text(self, path: str) -> str | None:
        """The text of a project file; None if there is none."""
        data = read_regular(f"{self.root}/{path}")
        return None if data is None else data.decode(errors="replace")

    def changed_run(self) -> Run:
        run: Run = copied(self.run)
        return run

    def block(self, run: Run, key: str) -> None:
        self.commit(run, events.run_blocked(run, run.reason, key))


def _trailing(events: Sequence[Mapping[str, Any]], workflow: str) -> int:
    """How many of the workflow's own events are at the end: those of the last step are already
    recorded.
    """
    own, count = {workflow.partition("-")[0], "throttle"}, 0
    while count < len(events) and (
        events[-1 - count].get("of") == "workflow"
        or str(events[-1 - count]["type"]).partition(".")[0] in own
    ):
        count += 1
    return count
