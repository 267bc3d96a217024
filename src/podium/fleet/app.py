"""The facade of a project that also has runs on a fleet: a run is looked for locally first, then on
the fleet.

To look at a run of the fleet, its journal and request are written into a cache folder, and the
facade of that folder reads them like any others.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from podium.core.errors import UsageError
from podium.core.history import CANCEL
from podium.engine.outcome import Ended
from podium.fleet import rewinds
from podium.fleet.journal.mirror import Mirror, cached
from podium.fleet.journal.postgres_journal import PostgresJournal
from podium.fleet.orders import SENT_ON
from podium.fleet.parcels.workshop import unpack_run
from podium.fleet.places import dispatch_of, journal_of, remote_of
from podium.fleet.store.stores import store_of
from podium.fleet.submitting import Submitting
from podium.fleet.waiting import InLine, waits
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.port import Journal
from podium.state.run_folder import RunFolder, resolve, run_ids
from podium.state.tail import Reread, Tail
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions, Summary

if TYPE_CHECKING:
    from datetime import datetime

    from podium.core.workflow import Workflow

_Found = TypeVar("_Found")


class FleetApp(Submitting):
    """What `podium` commands talk to if a fleet is set."""

    @cached_property
    def truth(self) -> PostgresJournal:
        return journal_of(self.settings.fleet, patience_s=5.0)

    @cached_property
    def mirror(self) -> Mirror:
        return Mirror(cached(self.project), self.truth)

    def give(
        self, workflow: str, inputs: Sequence[str], options: RunOptions, needs: Sequence[str] = ()
    ) -> Summary:
        """Submit a new run and notify the engine."""
        journal = self.truth
        run = self.submit(
            workflow, inputs, options, journal, remote_of(self.settings.fleet, self.project), needs
        )
        self.wake(run)
        return self.summary(run)

    def wake(self, run: str) -> None:
        """Tell the engine that the run has work. If that fails, any worker's sweep will."""
        with contextlib.suppress(
            Exception
        ):  # each engine has its own errors, and none of them loses the run
            asyncio.run(dispatch_of(self.settings.fleet).submit(run, self.truth.needs(run)))

    # -- a run, local or on the fleet

    def resolve(self, spoken: str) -> str:
        """Resolve a name among local runs and the fleet's; if both have it, it means the local
        run.
        """
        here = self.project / ".podium" / "runs"
        root, slash, key = spoken.partition("/")
        local, known = run_ids(here), self.truth.runs()
        if root == "@":
            found = self._latest(known)
        else:
            exact = [each for each in known if each == root]
            found = next(iter(exact or [each for each in known if each.startswith(root)]), "")
            others = [each for each in {*local, *known} if each.startswith(root) and each != found]
            if root in local or (found and not exact and others):
                found = ""
        if not found:
            return resolve(here, spoken) if local or not known else self._unclear(root, known)
        run = found + slash + key
        if run not in self.truth.family(found):
            raise UsageError(
                f"run {found} has no child run {key!r}; `podium status {found}` names them"
            )
        return run

    def _unclear(self, root: str, known: Sequence[str]) -> str:
        matching = [each for each in known if root and each.startswith(root)]
        few = (
            f"{root!r} matches several runs: {', '.join(matching)}"
            if matching
            else f"there is no run {root!r}"
        )
        raise UsageError(f"{few}; `podium list` names them all")

    def _latest(self, known: Sequence[str]) -> str:
        """The run that started last, if it is on the fleet."""
        here = max((each.started for each in super().list()), default="")
        there = max(((self.truth.read(each)[0]["ts"], each) for each in known), default=("", ""))
        return there[1] if there[0] > here else ""

    def summary(self, run: str) -> Summary:
        found = self._of(run, lambda app: App.summary(app, run))
        return there_said(found, waits(self.truth)) if self._is_there(run) else found

    def drives(self, run: str) -> bool:
        """Whether the run belongs to this machine."""
        return not self._is_there(run)

    def list(self) -> Sequence[Summary]:
        self.mirror.bring_all()
        window, why = self.window(self.truth), waits(self.truth)
        there = [there_said(window.summary(run), why) for run in sorted(self.mirror.runs)]
        return sorted(
            [*super().list(), *there], key=lambda each: (each.started, each.run), reverse=True
        )

    def events(self, run: str) -> Sequence[Mapping[str, Any]]:
        return self._of(run, lambda app: App.events(app, run))

    def tail(self, run: str) -> Tail | Reread:
        return Reread(lambda: self.events(run)) if self._is_there(run) else super().tail(run)

    def folder(self, run: str) -> Path:
        """For a run of the fleet: its folder as in the last parcel."""
        if not self._is_there(run):
            return super().folder(run)
        seen, root = self._seen(run), run.partition("/")[0]
        mirror = self.project / ".podium" / "cache" / "fleet-mirror.git"
        fleet = self.settings.fleet
        unpack_run(
            self.truth.parcel(root),
            root,
            remote_of(fleet, self.project),
            seen.project,
            mirror,
            store_of(fleet),
        )
        return App.folder(seen, run)

    def workflow(self, run: str) -> Workflow:
        return self._of(run, lambda app: App.workflow(app, run))

    def resume(self, run: str, options: RunOptions) -> Ended:
        if self._is_there(run):
            raise UsageError(
                f"run {run} is on the fleet: its workers continue it (`podium status {run}` "
                "shows who)"
            )
        return super().resume(run, options)

    def send_on(self, run: str, because: str, by: str) -> Summary:
        """Ask the workers to try a blocked run again, because a person fixed something or has
        another reason.
        """
        standing = self.summary(run)
        if standing.status != "blocked":
            raise UsageError(
                f"run {run} is {standing.status}, not blocked; workers of the fleet continue "
                "it by themselves"
            )
        if not because:
            raise UsageError(
                f'run {run} is blocked; say what changed: podium resume {run} --because "what '
                'you decided"'
            )
        self.truth.post(
            run, f"{SENT_ON}{len(self.truth.read(run))}", {"because": because, "by": by}
        )
        self.wake(run)
        return self.summary(run)

    def rewind(
        self, run: str, to: str, *, restore_code: bool, by: str
    ) -> tuple[Summary, builtins.list[str]]:
        """On the fleet: leave a request for the next worker, which then determines what is
        stale.
        """
        if not self._is_there(run):
            return super().rewind(run, to, restore_code=restore_code, by=by)
        rewinds.check(self.events(run), to)
        wish = {"to": to, "restore_code": restore_code, "by": by}
        rewinds.ask(self.truth, run, len(self.truth.read(run)), wish)
        self.wake(run)
        return self.summary(run), []

    def cancel(self, run: str, reason: str, by: str) -> Summary:
        if not self._is_there(run):
            return super().cancel(run, reason, by)
        if self.summary(run).status in {"complete", "cancelled"}:
            raise UsageError(f"run {run} has already ended: {self.summary(run).status}")
        self.truth.post(run, CANCEL, {"reason": reason or "cancelled", "by": by})
        self.wake(run)
        return self.summary(run)

    def _decide(
        self,
        run: str,
        gate: str,
        message: Mapping[str, Any],
        seen: Mapping[str, str] | None,
        *,
        to: str | None = None,
        answer: tuple[str, str] | None = None,
    ) -> Summary:
        """On the fleet a decision applies to what the gate showed, which is what the run's
        branch contains.
        """
        if not self._is_there(run):
            return super()._decide(run, gate, message, seen, to=to, answer=answer)
        # commands that only read need no engine
        from podium.engine import decisions, looking  # noqa: PLC0415

        window = self._seen(run)
        found = decisions.open_gate(
            run,
            looking.open_gates(window.project, window.journal, run),
            gate,
            question=answer is not None,
        )
        if seen is not None and dict(seen) != dict(found.subject):
            raise decisions.Changed(
                "the files of the gate changed since they were shown; nothing was decided. "
                "Look again."
            )
        told = {**message, "subject": dict(found.subject)}
        if to is not None:
            told["decision"] = decisions.rejection(window.workflow(run), found, to)
        if answer is not None:
            told["decision"] = decisions.answer(found, *answer)
        if not self.truth.post(run, found.message, told):
            self.wake(run)
            raise UsageError(
                f"gate {found.key} of run {run} has already been decided; `podium log {run}` "
                "says by whom"
            )
        self.wake(run)
        return self.summary(run)

    # -- looking at runs on the fleet

    def _is_there(self, run: str) -> bool:
        root = run.partition("/")[0]
        return not RunFolder(self.project, root).journal.is_file() and self.truth.has(root)

    def _of(self, run: str, look: Callable[[App], _Found]) -> _Found:
        return look(
            self._seen(run) if self._is_there(run) else App(self.project, self.observer, self.parts)
        )

    def _seen(self, run: str) -> App:
        """A facade of the cache, with this run's files as the database has them now."""
        self.mirror.bring(run.partition("/")[0])
        return self.window(self.truth)

    def window(self, told: Told) -> App:
        """A facade of the cache as it is. `told` says who drives a run and what was decided."""

        def journal(project: Path, disk: Disk, clock: Callable[[], datetime]) -> Journal:
            return _Window(project, disk, clock, told)

        parts = Parts(
            self.parts.environ,
            clock=self.parts.clock,
            disk=self.parts.disk,
            journal=journal,
            cwd=self.parts.cwd,
        )
        return App(self.mirror.folder, parts=parts)


def there_said(summary: Summary, why: Mapping[str, str]) -> Summary:
    """The summary with advice for somebody who does not drive the run. `why` says what each run
    in line waits for.
    """
    kept = tuple(
        each.removesuffix(" --go")
        for each in summary.advice
        if not each.startswith("podium resume") or "--because" in each
    )
    moves = summary.status in {"active", "waiting", "sleeping"} and not summary.gates
    advice = (*kept, "a worker of the fleet continues it") if moves else kept
    return InLine(**{**vars(summary), "advice": advice}, waits=why.get(summary.run, ""))


class Told(Protocol):
    """Knows what is in no journal."""

    def holder(self, run: str) -> dict[str, Any] | None: ...

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]: ...


class _Window(LocalJournal):
    """Files written from the database. Only the database knows who drives the run and what was
    decided.
    """

    def __init__(self, root: Path, disk: Disk, clock: Callable[[], datetime], told: Told) -> None:
        super().__init__(root, disk, clock)
        self._told = told

    def holder(self, run: str) -> dict[str, Any] | None:
        return self._told.holder(run)

    def inbox(self, run: str) -> Mapping[str, Mapping[str, Any]]:
        return self._told.inbox(run)
