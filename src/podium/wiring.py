"""The composition root: every port meets its adapter here and nowhere else.

Commands talk to `App`; `App` builds the engine for one project from settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import podium
from podium.core.digest import canonical
from podium.core.errors import Fault, InputError, PodiumError, UsageError
from podium.engine.outcome import Ended, Observer, Silent
from podium.state.disk import Disk
from podium.state.local_journal import LocalJournal
from podium.state.lock import one_by_one
from podium.state.port import Journal
from podium.state.run_folder import RunFolder, load_request, resolve, run_ids, valid_run_id
from podium.state.tail import Reread, Tail
from podium.wiring_values import Planned, RunOptions, Seen, Summary, damaged
from podium.workflows.catalog import NAMES
from podium.workflows.catalog import entry as workflow_entry
from podium.workflows.entry import Entry, Start, check_names

if TYPE_CHECKING:
    from podium.agents.human import Ask
    from podium.agents.protocol import Agent
    from podium.core.workflow import Workflow
    from podium.engine.services import Services
    from podium.engine.trial import Tried
    from podium.settings.values import Settings


@dataclass(frozen=True)
class Parts:
    """What an App is made of; tests and the demo replace single parts."""

    environ: Mapping[str, str]
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    disk: Disk = field(default_factory=Disk)
    token: Callable[[], str] = lambda: os.urandom(2).hex()
    """The random end of a new run's id."""
    ask: Ask | None = None
    agents: Callable[[str], Agent | None] = lambda _: None
    """For a role, an agent that replaces the configured one."""
    cwd: Path = field(default_factory=Path.cwd)
    journal: Callable[..., Journal] = (
        LocalJournal  # a worker of a fleet has one that copies another
    )


class App:
    """One project, ready for commands."""

    def __init__(
        self, project: Path, observer: Observer | None = None, parts: Parts | None = None
    ) -> None:
        self.project, self.parts = project, parts or Parts(os.environ)
        self.observer: Observer = observer or Silent()
        self.journal = self.parts.journal(project, self.parts.disk, self.parts.clock)
        self._workflows: dict[str, Workflow] = {}

    @cached_property
    def settings(self) -> Settings:
        # commands that only read need no settings
        from podium.settings.sources import load  # noqa: PLC0415

        return load(self.project, self.parts.environ)

    # -- driving

    def start(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> Ended:
        """A new run, or where the live run of this task stands."""
        from podium.engine import looking  # noqa: PLC0415  # commands that only read need no engine

        entry, begin = self._begin(workflow, inputs, options)
        check_names(begin.workflow, options.roles, options.until)
        ended = self._start(entry, begin, inputs, options)
        if ended.stop == looking.BETWEEN_CALLS:
            return self.resume(ended.run, replace(options, policy={**begin.call, **options.policy}))
        return ended

    def _start(
        self, entry: Entry, begin: Start, inputs: Sequence[str], options: RunOptions
    ) -> Ended:
        from podium.engine import looking, recording, runs  # noqa: PLC0415
        from podium.wiring_refusals import refuse  # noqa: PLC0415

        # Between looking for a live run and owning the new one, nobody else may do the same.
        with one_by_one(str(self.project)):
            live = looking.live(self, begin)
            if live is not None:
                return live
            request = {
                **self._request(entry, begin, inputs, options),
                "adopt": looking.foreign(self, begin),
                **self._rules(),
            }
            request["record"] = recording.begin(self.parts.cwd, options.record)
            services = self._services(entry, request, options)
            self._defined(begin.workflow, entry.name)
            refuse(services, begin.workflow, self.parts.environ)
            run = begin.workflow.first(**begin.members)
            run_id = self._new_id(begin.slug, options.run_id)
            if not runs.create(services, begin.workflow, run_id, run, request):
                raise UsageError(
                    f"there is a run {run_id} already; choose another --run-id, or `podium "
                    f"resume {run_id}`"
                )
            opened = self.journal.open(run_id, runs.owner())
        return recording.drive(
            services, run_id, lambda: runs.go(services, begin.workflow, run_id, opened=opened)
        )

    def _rules(self) -> dict[str, Any]:
        """What decides how this run goes, and what of it the last run did not know."""
        from podium.engine import guarding, looking  # noqa: PLC0415
        from podium.settings import rules_now  # noqa: PLC0415

        now = {
            "settings": rules_now.flattened(self.settings),
            "files": guarding.rules(self.project),
        }
        last, before = looking.last_rules(self.project)
        found = rules_now.changes(before, now) if before else []
        return {"rules": now, "changed": [f"since run {last}: {each}" for each in found]}

    def resume(self, run: str, options: RunOptions) -> Ended:
        from podium.engine import recording, runs  # noqa: PLC0415
        from podium.wiring_refusals import refuse_renewed  # noqa: PLC0415

        services, workflow = self._open(run, options)
        refuse_renewed(
            services,
            workflow,
            workflow.roles() if options.agent else options.roles,
            self.parts.environ,
        )
        self._defined(workflow, str(services.request["workflow"]))
        given = bool(options.policy or options.agent or options.roles)
        return recording.drive(
            services,
            run,
            lambda: runs.go(
                services, workflow, run, because=options.because, given=given, policy=options.policy
            ),
        )

    def dry_run(self, workflow: str, inputs: Sequence[str], options: RunOptions) -> list[Planned]:
        """The dispatches that would come first; nothing is written."""
        from podium.engine import adopting, looking, planning  # noqa: PLC0415

        entry, begin = self._begin(workflow, inputs, options)
        request = self._request(entry, begin, inputs, options)
        services = self._services(entry, request, options)
        run = begin.workflow.first(**begin.members)
        if looking.foreign(self, begin):
            run, _ = adopting.adopted(begin.workflow, run, self.project, begin.scope)
        return [
            Planned(**each) for each in planning.first_dispatches(services, begin.workflow, run)
        ]

    def try_commands(self) -> list[Tried]:
        """The project's commands, run once in a view of the checkout as it is."""
        import asyncio  # noqa: PLC0415 - slow to import, and looking at a run needs none

        from podium.engine.trial import trial  # noqa: PLC0415

        entry = self._entry(NAMES[0])
        request = {
            "workflow": entry.name,
            "policy": {**self.settings.policy_of(entry.name), "proof": "required"},
            "commands": asdict(self.settings.commands),
            "agent": "",
            "roles": {},
        }
        return asyncio.run(trial(self._services(entry, request, RunOptions())))

    # -- deciding

    def approve(self, run: str, *, gate: str, note: str, by: str, seen: Seen = None) -> Summary:
        return self._decide(run, gate, {"decision": "approved", "by": by, "note": note}, seen)

    def reject(
        self, run: str, *, gate: str, note: str, to: str, by: str, seen: Seen = None
    ) -> Summary:
        return self._decide(run, gate, {"by": by, "note": note}, seen, to=to)

    def answer(
        self, run: str, *, gate: str, choice: str, text: str, note: str, by: str, seen: Seen = None
    ) -> Summary:
        said = "\n".join(filter(None, (text, note)))
        return self._decide(run, gate, {"by": by, "note": said}, seen, answer=(choice, text))

    def _decide(
        self,
        run: str,
        gate: str,
        message: Mapping[str, Any],
        seen: Seen,
        *,
        to: str | None = None,
        answer: tuple[str, str] | None = None,
    ) -> Summary:
        """`seen`: the digests of what the person was shown; if they have changed, nothing is
        decided.
        """
        from podium.engine import decisions, looking  # noqa: PLC0415

        services, workflow = self._open(run, RunOptions())
        waiting = looking.open_gates(self.project, self.journal, run)
        found = decisions.open_gate(
            run, waiting, gate, question=answer is not None, choice=answer[0] if answer else ""
        )
        if to is not None:
            message = {**message, "decision": decisions.rejection(workflow, found, to)}
        if answer is not None:
            message = {**message, "decision": decisions.answer(found, *answer)}
        moved = decisions.post(services, workflow, run, found, message, seen)
        summary = self.summary(run)
        if moved:
            said = (
                f"note: {', '.join(moved)} changed since the gate opened; the decision is about "
                "the file as it is now"
            )
            return replace(summary, advice=(said, *summary.advice))
        return summary

    def rewind(
        self, run: str, to: str, *, restore_code: bool, by: str
    ) -> tuple[Summary, list[str]]:
        """Also returns the keys that are stale now."""
        from podium.engine import decisions, looking  # noqa: PLC0415

        services, workflow = self._open(run, RunOptions())
        looking.refuse_second(self, run, str(services.request.get("scope", "")))
        stale = decisions.rewind(services, workflow, run, to, restore_code=restore_code, by=by)
        return self.summary(run), stale

    def cancel(self, run: str, reason: str, by: str) -> Summary:
        from podium.engine import decisions  # noqa: PLC0415

        services, workflow = self._open(run, RunOptions())
        left = decisions.cancel(services, workflow, run, f"{reason or 'cancelled'} (by {by})")
        summary = self.summary(run)
        return replace(summary, advice=(*(f"note: {each}" for each in left), *summary.advice))

    def has_person(self, options: RunOptions, roles: Iterable[str], run: str = "") -> bool:
        """Whether a person plays one of the roles in the run that is about to be driven."""
        from podium.wiring_services import spec_for  # noqa: PLC0415

        request = load_request(RunFolder(self.project, run)) if run else {}
        told = {
            **request,
            "agent": options.agent or request.get("agent", ""),
            "roles": {**request.get("roles", {}), **options.roles},
        }
        people = {
            "human",
            *(name for name, each in self.settings.agents.items() if each.backend == "human"),
        }
        return any(spec_for(role, told, self.settings) in people for role in roles)

    # -- looking; none of these takes the lock

    def resolve(self, spoken: str) -> str:
        """The run's id for an id, a unique prefix, or `@`."""
        return resolve(self.project / ".podium" / "runs", spoken)

    def summary(self, run: str) -> Summary:
        from podium.engine import looking  # noqa: PLC0415

        request = load_request(RunFolder(self.project, run.partition("/")[0]))
        return Summary(
            **looking.summary(
                self.project,
                self.journal,
                self._remake(request),
                run,
                str(request.get("title", "")),
            )
        )

    def list(self) -> Sequence[Summary]:
        """All runs that can be read, newest first."""
        found = [self._summary_or_fault(run) for run in run_ids(self.project / ".podium" / "runs")]
        return sorted(found, key=lambda each: (each.started, each.run), reverse=True)

    def _summary_or_fault(self, run: str) -> Summary:
        """A summary even if the run is damaged: one damaged run must not hide the others."""
        try:
            return self.summary(run)
        except PodiumError as fault:
            return damaged(run, str(fault))
        except OSError as fault:
            return damaged(run, f"{fault.filename}: {fault.strerror}")

    def events(self, run: str) -> Sequence[Mapping[str, Any]]:
        """The journal with its child runs' journals, ordered by time; the chain is checked."""
        from podium.engine import looking  # noqa: PLC0415

        return looking.all_events(self.project, self.journal, run)

    def tail(self, run: str) -> Tail | Reread:
        """The same, to be followed while somebody drives the run."""
        return Tail(self.project, run)

    def folder(self, run: str) -> Path:
        return RunFolder(self.project, run).path

    def workflow(self, run: str) -> Workflow:
        """A run's workflow, as it was when the run started."""
        return self._remake(load_request(RunFolder(self.project, run.partition("/")[0])))

    # -- making

    def read(self, path: str) -> str | None:
        """The text of a project file; None if there is none."""
        try:
            return (self.project / path).read_text(encoding="utf-8", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None

    def _beside(self, path: str) -> Sequence[str]:
        """The files in a path's folder, relative to the project; none if the folder is outside
        it.
        """
        where, project = (self.project / path).resolve(), self.project.resolve()
        found = sorted((where if where.is_dir() else where.parent).glob("*"))
        return [
            str(each.relative_to(project))
            for each in found
            if each.is_file() and each.is_relative_to(project)
        ]

    def _begin(self, name: str, inputs: Sequence[str], options: RunOptions) -> tuple[Entry, Start]:
        entry = self._entry(name)
        policy = self.settings.policy_of(entry.name, options.policy)
        if wrong := sorted(set(options.extra) - entry.options):
            raise UsageError(f"--{wrong[0].replace('_', '-')} is not an option of {name}")
        extra = {
            name: self._project_path(value) if name == "plan" else value
            for name, value in options.extra.items()
        }
        told = {
            **extra,
            "given": options.policy,
            "scaffold": partial(scaffold_text, name),
            "beside": self._beside,
        }
        told["today"] = self.parts.clock().date().isoformat()
        told["model"] = self._models({"agent": options.agent, "roles": options.roles})
        begin = entry.start([self._project_path(each) for each in inputs], policy, told, self.read)
        gone = [path for path in begin.required if self.read(path) is None]
        if gone:
            raise InputError(
                [Fault(path, "is missing", f"`podium init {name}` writes it") for path in gone]
            )
        return entry, begin

    def _models(self, request: Mapping[str, Any]) -> Callable[[str], str]:
        """Role to the model that the settings name for its agent; "" if they name none."""

        def model(role: str) -> str:
            from podium.wiring_services import spec_for  # noqa: PLC0415

            named = self.settings.agents.get(spec_for(role, request, self.settings))
            return named.model if named else ""

        return model

    def _project_path(self, spoken: str) -> str:
        """A path as typed (from the current folder) or relative to the project, made relative to
        the project.
        """
        try:
            here = (self.parts.cwd / spoken).resolve()
            if spoken.strip() and here.exists() and here.is_relative_to(self.project.resolve()):
                return here.relative_to(self.project.resolve()).as_posix()
        except (OSError, ValueError):  # words that are not a path: too long, or with a NUL
            pass
        return spoken

    def _defined(self, workflow: Workflow, name: str) -> None:
        from podium.roles import require  # noqa: PLC0415

        require(workflow, name, self.project, self.settings.roles, self.parts.environ)

    def _entry(self, name: str) -> Entry:
        from podium.workflow_sources import find  # noqa: PLC0415 - looking at a run needs none

        return find(name, self.project, self.parts.environ, self.parts.cwd)

    def _kept(self, request: Mapping[str, Any]) -> Entry:
        """The workflow of a run, as it was when the run began."""
        name, definition = str(request["workflow"]), request["definition"]
        if name in NAMES and not definition.get("source"):
            return workflow_entry(name)
        from podium.workflow_sources import kept  # noqa: PLC0415 - most runs are of built-ins

        return kept(name, definition, self.parts.environ)

    def _remake(self, request: Mapping[str, Any]) -> Workflow:
        """The workflow of a request, cached: a list has many runs of the same kind."""
        name, definition, policy = (
            str(request["workflow"]),
            request["definition"],
            request["policy"],
        )
        kind = canonical([name, definition, policy])
        if kind not in self._workflows:
            self._workflows[kind] = self._kept(request).remake(definition, policy)
        return self._workflows[kind]

    def _request(
        self, entry: Entry, begin: Start, inputs: Sequence[str], options: RunOptions
    ) -> dict[str, Any]:
        """What was asked, after all overrides; a resumed run continues with it."""
        return {
            "workflow": entry.name,
            "inputs": list(inputs),
            "title": begin.title,
            "slug": begin.slug,
            "scope": begin.scope,
            "policy": self.settings.policy_of(entry.name, options.policy),
            "definition": dict(begin.definition),
            "agent": self._absolute(options.agent),
            "roles": {role: self._absolute(spec) for role, spec in options.roles.items()},
            "kept": {
                role: told
                for role in begin.workflow.roles()
                if (told := self.settings.told_agent(role))
            },
            "commands": asdict(self.settings.commands),
            "versions": {"podium": podium.__version__},
        }

    def _absolute(self, spec: str) -> str:
        """A scenario is named relative to the current folder, and must be found from anywhere
        later.
        """
        kind, _, file = spec.partition(":")
        return f"{kind}:{self.parts.cwd / file}" if file and kind == "scripted" else spec

    def _open(self, run: str, options: RunOptions) -> tuple[Services, Workflow]:
        request = dict(load_request(RunFolder(self.project, run)))
        entry = self._kept(request)
        if options.policy:
            from podium.settings.policies import over  # noqa: PLC0415

            request["policy"] = over(request["policy"], options.policy)
        if options.agent:
            request["agent"] = self._absolute(options.agent)
        if options.roles:
            request["roles"] = {
                **request["roles"],
                **{r: self._absolute(s) for r, s in options.roles.items()},
            }
        request["definition"] = entry.renewed(request["definition"], self._models(request))
        workflow = entry.remake(request["definition"], request["policy"])
        check_names(workflow, options.roles, options.until)
        if options.record:
            from podium.engine import recording  # noqa: PLC0415

            request["record"] = recording.go_on(
                self.project, self.journal, run, self.parts.cwd, options.record
            )
        services = self._services(entry, request, options)
        if options.policy or options.agent or options.roles or options.record:
            services.renewed = request
        return services, workflow

    def _services(self, entry: Entry, request: Mapping[str, Any], options: RunOptions) -> Services:
        from podium.wiring_services import build  # noqa: PLC0415

        return build(self, entry, request, options)

    def _new_id(self, slug: str, wanted: str) -> str:
        if wanted:
            if not valid_run_id(wanted):
                raise UsageError(
                    f"--run-id {wanted!r}: write letters, digits, '.', '_' and '-', at most "
                    "64, a letter or digit first"
                )
            return wanted
        return f"{slug}-{self.parts.token()}"


def scaffold_text(workflow: str, path: str) -> str:
    """A file of a workflow's scaffold."""
    from importlib.resources import files  # noqa: PLC0415

    return (files(f"podium.workflows.{workflow}") / "scaffold" / path).read_text(encoding="utf-8")
