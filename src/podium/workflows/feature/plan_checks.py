"""Whether a plan and its task files may be worked on: every fault at once, each with its place.

A plan with a fault gives no waves: nothing is started from a plan that was not understood whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from podium.core.errors import Fault
from podium.workflows.feature import plan_order, task_files
from podium.workflows.feature.plan import (
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
from podium.workflows.feature.plan_rows import Row
from podium.workflows.feature.plan_syntax import Written, read_written
from podium.workflows.feature.task_names import Names, id_of, number_of
from podium.workflows.feature.tasks import Task, read_task

PLAN = "plan.md"


@dataclass(frozen=True)
class Known:
    """What stood there before the planner was asked again."""

    plan: Plan
    tasks: Mapping[str, str]
    """Path to text of every task file."""
    done: frozenset[str] = frozenset()
    """Ids of tasks that are finished and stay as they are."""


@dataclass(frozen=True)
class Checked:
    faults: tuple[str, ...]
    waves: tuple[tuple[PlannedTask, ...], ...]
    """What is left to do, wave by wave; nothing where there is a fault."""
    warnings: tuple[str, ...] = ()
    plan: Plan = field(default_factory=Plan)
    """The whole plan with the ids of its files, finished tasks included."""
    tasks: Mapping[str, Task] = field(default_factory=dict)
    """By id, in the order of their paths."""


def check(plan_text: str, tasks: Mapping[str, str], *, mode: Mode, known: Known | None = None) -> Checked:
    """A plan and its task files (path to text), read and compared; `known` is what must stay."""
    written = read_written(plan_text)
    done = Names.of(sorted(known.done if known else ()))
    count = max(
        sum(not done.find(row.name) for wave in written.waves for row in wave.rows),
        sum(not done.find(id_of(path)) for path in tasks),
    )
    if count > LARGEST_PLAN:
        mend = "join small tasks, or plan a smaller feature first"
        return Checked((str(Fault(PLAN, f"the plan has {count} tasks, {LARGEST_PLAN} at most", mend)),), ())
    return _Check(written, tasks, mode, known or Known(Plan(), {})).run()


@dataclass
class _Check:
    written: Written
    texts: Mapping[str, str]
    mode: Mode
    known: Known
    faults: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    tasks: dict[str, Task] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    placed: dict[str, tuple[int, Row]] = field(default_factory=dict)
    """Id to the number of its wave, and its row."""
    depends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Id to the ids it waits for, by plan or file."""

    def run(self) -> Checked:
        self._document()
        self._files()
        self._places()
        self._dependencies()
        ids = {each for each in self.tasks if each not in self.placed and each in self.known.done}
        at = {each: wave for each, (wave, _) in self.placed.items()} | dict.fromkeys(ids, 0)
        self.faults += plan_order.faults(self.depends, at, PLAN)
        self._limits()
        self._kept()
        waves = self._waves()
        if not self.faults and not any(task.id not in self.known.done for wave in waves for task in wave):
            self._fault(PLAN, "nothing is left to do: every task in it is done", "add the tasks that are new")
        left = (tuple(task for task in wave if task.id not in self.known.done) for wave in waves)
        plan = Plan(self.written.mode if self.written.mode in MODES else "", waves)
        faults = tuple(dict.fromkeys(self.faults))
        return Checked(
            faults, () if faults else tuple(filter(None, left)), tuple(self.warnings), plan, self.tasks
        )

    def _fault(self, where: str, what: str, mend: str = "") -> None:
        self.faults.append(str(Fault(where, what, mend)))

    def _document(self) -> None:
        """The plan as a document: its mode, its sections, its waves."""
        said = self.written.mode
        if not said:
            self._fault(PLAN, "Planning Mode is missing", f"add 'Planning Mode: {self.mode}'")
        elif said != self.mode:
            self._fault(PLAN, f"Planning Mode is '{said}'", f"this is a plan in mode {self.mode}")
        for title in self.written.missing:
            mend = "with a table of what may go wrong" if title == "Pre-Mortem" else ""
            self._fault(PLAN, f"section '{title}' is missing or empty", f"add '## {title}' {mend}".rstrip())
        for line, what in self.written.faults:
            self._fault(f"{PLAN}:{line}", what)
        numbers = [wave.number for wave in self.written.waves]
        if not numbers:
            self._fault(PLAN, "there are no waves", "add '### Wave 1' under '## Execution Waves'")
        elif numbers != list(range(1, len(numbers) + 1)):
            shown = ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")
            self._fault(PLAN, f"waves are numbered {shown}", f"number them 1 to {len(numbers)} in order")
        for wave in self.written.waves:
            if not wave.rows:
                self._fault(
                    f"{PLAN}:{wave.line}", f"wave {wave.number} holds no task", "add one or take it out"
                )

    def _files(self) -> None:
        """Every task file by itself; of finished ones only the name counts."""
        numbers: dict[int, str] = {}
        for path in sorted(self.texts):
            task, faults = read_task(path, self.texts[path])
            if task.id not in self.known.done:
                self.faults += faults
                mentioned = task_files.elsewhere(self.texts[path])
                self.warnings += [f"{path}: mentions {each}, which no task may change" for each in mentioned]
            number = number_of(task.id)
            if number is None:
                continue
            if number in numbers:
                self._fault(path, f"has the number of {numbers[number]}", "give each task its own number")
            numbers.setdefault(number, path)
            self.tasks.setdefault(task.id, task)
        self.names = Names.of(self.tasks)

    def _places(self) -> None:
        """Every task has one place and every place a task."""
        for wave in self.written.waves:
            for row in wave.rows:
                where = f"{PLAN}:{row.line}"
                found = self.names.find(row.name)
                near = self.names.namesake(row.name)
                if found is None and near:
                    self._fault(
                        where, f"{row.name} is not the name of {self.tasks[near].path}", f"write {near}"
                    )
                elif found is None:
                    self._fault(
                        where, f"{row.name} has no task file", f"write tasks/{row.name}.md or take it out"
                    )
                name = found or near or row.name
                if name in self.placed:
                    first = self.placed[name][1].line
                    self._fault(where, f"{name} stands in line {first} already", "keep one place for it")
                else:
                    self.placed[name] = (wave.number, row)
        for name, task in self.tasks.items():
            if name not in self.placed and name not in self.known.done:
                self._fault(
                    task.path, "has no place in the plan", "name it in a wave of plan.md, or delete it"
                )

    def _dependencies(self) -> None:
        """What each task waits for: both documents must say the same, and what one says counts."""
        names = Names.of((*self.tasks, *self.placed))
        for name in dict.fromkeys((*self.placed, *self.tasks)):
            if name in self.known.done:
                # It waits for nothing any more, and its file may name a task that was taken out.
                continue
            row = self.placed[name][1] if name in self.placed else None
            task = self.tasks.get(name)
            planned = self._resolved(
                names, row.depends_on or () if row else (), f"{PLAN}:{row.line}" if row else ""
            )
            own = self._resolved(names, task.depends_on if task else (), task.path if task else "")
            if row and task and row.depends_on is not None and set(planned) != set(own):
                self._fault(
                    f"{PLAN}:{row.line}",
                    f"{name} depends on {_listed(planned)}, but {task.path} says {_listed(own)}",
                    "say the same in both",
                )
            self.depends[name] = tuple(dict.fromkeys((*planned, *own)))

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
        for name, task in self.tasks.items():
            if name not in self.known.done:
                self.faults += map(str, _over(task, self.depends.get(name, ())))
                if not task.files:
                    self.warnings.append(f"{task.path}: names no file in scope")

    def _kept(self) -> None:
        """Finished tasks stay as they are, in file and plan."""
        before = {task.id: task for wave in self.known.plan.waves for task in wave}
        for path, text in sorted(self.known.tasks.items()):
            if id_of(path) in self.known.done and self.texts.get(path) != text:
                what = "was deleted" if path not in self.texts else "was changed"
                self._fault(path, f"{what}, but the task is done", "leave it as it was and add a new task")
        for name in sorted(self.known.done & before.keys() & self.placed.keys()):
            row = self.placed[name][1]
            said = {self.names.find(each) or each for each in row.depends_on or ()}
            if row.depends_on is not None and said != set(before[name].depends_on):
                was = _listed(before[name].depends_on)
                self._fault(
                    f"{PLAN}:{row.line}", f"{name} is done and depended on {was}", "leave it as it was"
                )

    def _waves(self) -> tuple[tuple[PlannedTask, ...], ...]:
        before = {task.id: task for wave in self.known.plan.waves for task in wave}
        waves: dict[int, list[PlannedTask]] = {}
        for name, (wave, row) in self.placed.items():
            if name in self.known.done:
                planned = before.get(name, PlannedTask(name))
            else:
                planned = PlannedTask(name, self.depends.get(name, ()), self._agent(name, row))
                self.warnings += filter(None, [agent_of(planned)[1]])
            waves.setdefault(wave, []).append(planned)
        return tuple(tuple(waves[number]) for number in sorted(waves))

    def _agent(self, name: str, row: Row) -> str:
        """The task file names the agent; the plan does where the file is silent."""
        own = self.tasks[name].agent if name in self.tasks else ""
        if own and row.agent and own.casefold() != row.agent.casefold():
            self.warnings.append(f"{name}: the plan names agent {row.agent}; {own} of its file counts")
        return own or row.agent


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids) or "none"


def _over(task: Task, depends_on: Sequence[str]) -> Iterator[Fault]:
    """What of a task is over the planner's limits, and the paths that it may not name."""
    for path in task.files:
        reason = task_files.outside(path)
        if reason:
            mend = "name files of the repository; a route stands there without code marks"
            yield Fault(task.path, f"'{path[:120]}' {reason}", mend)
        elif task_files.is_pattern(path) and task_files.is_production(path):
            yield Fault(task.path, f"'{path[:120]}' may be any number of files", "name each file")
    if len(task.production) > MAX_FILES:
        what = f"{len(task.production)} production files in scope, {MAX_FILES} at most"
        yield Fault(task.path, what, "split the task")
    if len(depends_on) > MAX_DEPENDENCIES:
        what = f"depends on {len(depends_on)} tasks ({_listed(depends_on)}), {MAX_DEPENDENCIES} at most"
        yield Fault(task.path, what, "split the task or join what it waits for")
    if task.lines is not None and task.lines > MAX_LINES:
        yield Fault(task.path, f"{task.lines} production lines, {MAX_LINES} at most", "split the task")
    if task.effort and task.effort not in EFFORTS:
        yield Fault(task.path, f"effort is {task.effort}, {EFFORTS[-1]} at most", "split the task")
