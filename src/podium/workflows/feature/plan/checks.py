"""Whether a plan and its task files can be worked on: every fault at once, each with its place.

A plan with a fault gives no waves: nothing starts from a plan that was not fully understood.
Something that is only missing (a section, a word) is a warning, or a fault with `strict`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.core.digest import digest
from podium.core.errors import Fault
from podium.workflows.feature.plan import order as plan_order
from podium.workflows.feature.plan import task_files
from podium.workflows.feature.plan.plan import (
    EFFORTS,
    LARGEST_PLAN,
    MAX_DEPENDENCIES,
    MAX_FILES,
    MAX_LINES,
    MODES,
    Mode,
    Plan,
    PlannedTask,
    agent_of,
)
from podium.workflows.feature.plan.rows import Row
from podium.workflows.feature.plan.syntax import Written, read_written
from podium.workflows.feature.plan.task_names import Names, id_of, number_of
from podium.workflows.feature.plan.tasks import Task, read_task, unticked

PLAN = "plan.md"


@dataclass(frozen=True)
class Known:
    """What existed before the planner was asked again."""

    done: frozenset[str] = frozenset()
    """Ids of tasks whose work is in the project: no task need wait for them."""
    failed: frozenset[str] = frozenset()
    """Ids of tasks that must be fixed, finished or not: if the plan has them, they are done
    again.
    """
    essence: Mapping[str, str] = field(default_factory=dict)
    """Path of each task file to its essence."""

    def same(self, path: str, text: str) -> bool:
        """Whether a task file says the same as before."""
        return self.essence.get(path) == essence(text)


def essence(text: str) -> str:
    """The digest of a task file regardless of its check boxes, which implementers tick."""
    return digest(unticked(text))


@dataclass(frozen=True)
class Checked:
    faults: tuple[str, ...]
    waves: tuple[tuple[PlannedTask, ...], ...]
    """What is left to do, wave by wave; empty if there is a fault."""
    numbers: tuple[int, ...] = ()
    """The number of each of these waves in the plan."""
    warnings: tuple[str, ...] = ()
    plan: Plan = field(default_factory=Plan)
    """The whole plan with the ids of its files, including finished tasks."""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """By id, in the order of their paths."""


def check(
    plan_text: str,
    tasks: Mapping[str, str],
    *,
    mode: Mode,
    known: Known | None = None,
    strict: bool = False,
) -> Checked:
    """A plan and its task files (path to text), read and compared; `known` is what existed
    before.
    """
    written = read_written(plan_text)
    known = known or Known()
    old = Names.of(sorted(known.done))
    count = max(
        sum(not old.find(row.name) for wave in written.waves for row in wave.rows),
        sum(id_of(path) not in known.done for path in tasks),
    )
    if count > LARGEST_PLAN:
        mend = "join small tasks, or plan a smaller feature first"
        return Checked(
            (str(Fault(PLAN, f"the plan has {count} tasks, {LARGEST_PLAN} at most", mend)),), ()
        )
    return _Check(written, tasks, mode, known, strict).run()


@dataclass
class _Check:
    written: Written
    texts: Mapping[str, str]
    mode: Mode
    known: Known
    strict: bool
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    tasks: dict[str, Task] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    placed: dict[str, tuple[int, Row]] = field(default_factory=dict)
    """Id to the number of its wave, and its row."""
    depends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id to the ids it waits for, according to plan or file."""
    kept: set[str] = field(default_factory=set)
    """Ids of finished tasks that are not done again."""

    def run(self) -> Checked:
        self._document()
        self._files()
        self._places()
        self._reopen()
        self._dependencies()
        ids = {each for each in self.known.done if each not in self.placed}
        at = {each: 0 if each in self.kept else wave for each, (wave, _) in self.placed.items()}
        self.faults += plan_order.faults(self.depends, at | dict.fromkeys(ids, 0), PLAN)
        self._limits()
        waves = self._waves()
        numbers = sorted({wave for wave, _ in self.placed.values()})
        left = {
            number: tuple(task for task in wave if task.id not in self.kept)
            for number, wave in zip(numbers, waves, strict=True)
        }
        plan = Plan(self.written.mode if self.written.mode in MODES else "", waves)
        faults, warnings = (tuple(dict.fromkeys(each)) for each in (self.faults, self.warnings))
        ahead = {} if faults else {number: wave for number, wave in left.items() if wave}
        return Checked(faults, tuple(ahead.values()), tuple(ahead), warnings, plan, self.tasks)

    def _fault(self, where: str, what: str, mend: str = "") -> None:
        self.faults.append(str(Fault(where, what, mend)))

    def _lack(self, where: str, what: str, mend: str = "") -> None:
        """Something that should be there, but the plan can be worked on without it."""
        (self.faults if self.strict else self.warnings).append(str(Fault(where, what, mend)))

    def _document(self) -> None:
        """The plan as a document: its mode, its sections, its waves."""
        said = self.written.mode
        if not said:
            self._lack(PLAN, "Planning Mode is missing", f"add 'Planning Mode: {self.mode}'")
        elif said != self.mode:
            self._lack(PLAN, f"Planning Mode is '{said}'", f"this is a plan in mode {self.mode}")
        for title in self.written.missing:
            mend = "with a table of what may go wrong" if title == "Pre-Mortem" else ""
            self._lack(
                PLAN, f"section '{title}' is missing or empty", f"add '## {title}' {mend}".rstrip()
            )
        for line, what in self.written.faults:
            self._fault(f"{PLAN}:{line}", what)
        for line, what in self.written.lacks:
            self._lack(f"{PLAN}:{line}", what)
        numbers = [wave.number for wave in self.written.waves]
        if not any(wave.rows for wave in self.written.waves):
            self._fault(
                PLAN,
                "there are no waves",
                "add '### Wave 1' under '## Execution Waves' and tasks in it",
            )
        elif numbers != list(range(1, len(numbers) + 1)):
            shown = ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")
            self._lack(
                PLAN, f"waves are numbered {shown}", f"number them 1 to {len(numbers)} in order"
            )
        for wave in self.written.waves:
            if not wave.rows:
                self._lack(
                    f"{PLAN}:{wave.line}",
                    f"wave {wave.number} holds no task",
                    "add one or take it out",
                )

    def _files(self) -> None:
        """Every task file by itself; of unchanged files only the name matters."""
        numbers: dict[int, str] = {}
        left = {
            path
            for path, text in self.texts.items()
            if id_of(path) not in self.known.done and self.known.same(path, text)
        }
        # An unfinished, unchanged file of an earlier plan gives way to a new file with the same
        # number.
        for path in (*sorted(self.texts.keys() - left), *sorted(left)):
            found = read_task(path, self.texts[path])
            task = found.task
            if not self.known.same(path, self.texts[path]):
                self.faults += found.faults
                (self.faults if self.strict else self.warnings).extend(found.lacks)
                mentioned = task_files.elsewhere(self.texts[path])
                self.warnings += [
                    f"{path}: mentions {each}, which no task may change" for each in mentioned
                ]
            number = number_of(task.id)
            if number is None or (number in numbers and path in left):
                continue
            if number in numbers:
                self._fault(
                    path, f"has the number of {numbers[number]}", "give each task its own number"
                )
            numbers.setdefault(number, path)
            self.tasks.setdefault(task.id, task)
        self.names = Names.of(self.tasks)

    def _places(self) -> None:
        """Every task has one place, and every place has a task."""
        for wave in self.written.waves:
            for row in wave.rows:
                where = f"{PLAN}:{row.line}"
                found = self.names.find(row.name)
                near = self.names.namesake(row.name)
                if found is None and near:
                    self._fault(
                        where,
                        f"{row.name} is not the name of {self.tasks[near].path}",
                        f"write {near}",
                    )
                elif found is None:
                    self._fault(
                        where,
                        f"{row.name} has no task file",
                        f"write tasks/{row.name}.md or take it out",
                    )
                name = found or near or row.name
                if name in self.placed:
                    first = self.placed[name][1].line
                    self._fault(
                        where, f"{name} stands in line {first} already", "keep one place for it"
                    )
                else:
                    self.placed[name] = (wave.number, row)
        for name, task in self.tasks.items():
            if name in self.placed:
                continue
            if not self.known.same(task.path, self.texts[task.path]):
                self._fault(task.path, "has no place in the plan", "name it in a wave of plan.md")
            elif name in self.known.failed:
                self.warnings.append(
                    f"{name} failed and has no place in this plan: other tasks must fix it"
                )

    def _reopen(self) -> None:
        """Finished tasks stay finished, unless their file changed or the plan contains nothing
        else to do.
        """
        done = [each for each in self.placed if each in self.known.done]
        changed = {
            each for each in done if (task := self.tasks.get(each)) and not self._as_it_was(task)
        }
        if changed:
            self.warnings.append(
                "finished tasks are done again, because their files changed: "
                f"{_listed(sorted(changed))}"
            )
        self.kept = set(done) - changed - self.known.failed
        if self.placed and len(self.kept) == len(self.placed):
            self.warnings.append("every task of the plan is finished; all of them are done again")
            self.kept = set()

    def _as_it_was(self, task: Task) -> bool:
        return self.known.same(task.path, self.texts[task.path])

    def _dependencies(self) -> None:
        """What each task waits for, according to the plan and its file together."""
        names = Names.of((*self.tasks, *self.placed, *self.known.done))
        for name, (_, row) in self.placed.items():
            if name in self.kept:
                # It no longer waits for anything, and its file may name a task that was removed.
                continue
            task = self.tasks.get(name)
            planned = self._resolved(names, row.depends_on or (), f"{PLAN}:{row.line}")
            own = self._resolved(names, task.depends_on if task else (), task.path if task else "")
            if task and row.depends_on is not None and set(planned) != set(own):
                self._lack(
                    f"{PLAN}:{row.line}",
                    f"{name} depends on {_listed(planned)}, but {task.path} says {_listed(own)}",
                    "say the same in both; it waits for all of them",
                )
            self.depends[name] = tuple(dict.fromkeys((*planned, *own)))
            for each in self.depends[name]:
                if each not in self.placed and each not in self.known.done:
                    self._fault(
                        PLAN,
                        f"{name} depends on {each}, which is neither in the plan nor finished",
                        "plan it, too",
                    )

    def _resolved(self, names: Names, said: Sequence[str], where: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for each in said:
            name = names.find(each)
            near = names.namesake(each)
            if name is None:
                mend = f"did you mean {near}?" if near else "depend on tasks of this plan only"
                self._fault(where, f"unknown dependency {each}", mend)
            if name or near:
                found[name or near or ""] = None
        return tuple(found)

    def _limits(self) -> None:
        for name in self.placed:
            task = self.tasks.get(name)
            if task and name not in self.kept:
                self.faults += map(str, _over(task, self.depends.get(name, ())))
                self.warnings += map(str, _unclear(task))

    def _waves(self) -> tuple[tuple[PlannedTask, ...], ...]:
        waves: dict[int, list[PlannedTask]] = {}
        for name, (wave, row) in self.placed.items():
            planned = PlannedTask(name, self.depends.get(name, ()), self._agent(name, row))
            if name not in self.kept:
                self.warnings += filter(None, [agent_of(planned)[1]])
            waves.setdefault(wave, []).append(planned)
        return tuple(tuple(waves[number]) for number in sorted(waves))

    def _agent(self, name: str, row: Row) -> str:
        """The agent named in the task file, else the one named in the plan."""
        own = self.tasks[name].agent if name in self.tasks else ""
        if own and row.agent and own.casefold() != row.agent.casefold():
            self.warnings.append(
                f"{name}: the plan names agent {row.agent}; {own} of its file counts"
            )
        return own or row.agent


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids) or "none"


def _over(task: Task, depends_on: Sequence[str]) -> Iterator[Fault]:
    """Where a task exceeds the planner's limits, and the paths that it may not name."""
    for path in task.files:
        reason = task_files.outside(path)
        if reason:
            mend = "name files of the repository; a route stands there without code marks"
            yield Fault(task.path, f"'{path[:120]}' {reason}", mend)
    if len(task.production) > MAX_FILES:
        what = f"{len(task.production)} production files in scope, {MAX_FILES} at most"
        yield Fault(task.path, what, "split the task")
    if len(depends_on) > MAX_DEPENDENCIES:
        what = (
            f"depends on {len(depends_on)} tasks ({_listed(depends_on)}), {MAX_DEPENDENCIES} at "
            "most"
        )
        yield Fault(task.path, what, "split the task or join what it waits for")
    if task.lines is not None and task.lines > MAX_LINES:
        yield Fault(
            task.path, f"{task.lines} production lines, {MAX_LINES} at most", "split the task"
        )
    if task.effort and task.effort not in EFFORTS:
        yield Fault(task.path, f"effort is {task.effort}, {EFFORTS[-1]} at most", "split the task")


def _unclear(task: Task) -> Iterator[Fault]:
    """Why the number of its files cannot be counted."""
    if not task.files:
        yield Fault(task.path, "names no file in scope")
    for path in task.production:
        if task_files.is_pattern(path):
            yield Fault(task.path, f"'{path[:120]}' may be any number of files", "name each file")
