"""A task file of a plan: what is to be done, in which files, after what, and how it is judged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from podium.core.errors import Fault
from podium.formats.field_lines import field_value
from podium.formats.markdown import scan, split_lines
from podium.workflows.feature.documents.labelled import Part, item_text, parts
from podium.workflows.feature.plan.plan import EFFORTS
from podium.workflows.feature.plan.task_files import files_in, is_production
from podium.workflows.feature.plan.task_names import NOTHING, bare, id_of, names_in

TASK_SECTIONS = (
    *(
        "Task Goal",
        "depends_on",
        "In-scope",
        "Out-of-scope",
        "Acceptance Criteria",
        "Estimated Effort",
    ),
    *("Test Requirements", "Implementation Steps", "Completion Checklist"),
)
"""What a task file should contain, each as a heading, a bold key or a plain key; `agent` may be
added.
"""

LABELS: Mapping[str, str] = {
    **dict.fromkeys(("task goal", "goal", "task goals"), "Task Goal"),
    **dict.fromkeys(("depends on", "dependencies", "dependency"), "depends_on"),
    **dict.fromkeys(("agent", "assigned agent"), "agent"),
    **dict.fromkeys(
        ("in scope", "scope (in)", "files", "files in scope", "in scope files"), "In-scope"
    ),
    **dict.fromkeys(
        ("production files", "files to modify", "files to change", "affected files"), "In-scope"
    ),
    **dict.fromkeys(("files to create", "target files"), "In-scope"),
    **dict.fromkeys(("out of scope", "scope (out)"), "Out-of-scope"),
    **dict.fromkeys(("acceptance criteria", "acceptance criterion"), "Acceptance Criteria"),
    **dict.fromkeys(("estimated effort", "effort"), "Estimated Effort"),
    **dict.fromkeys(("estimated lines", "estimated production lines", "production lines"), "lines"),
    **dict.fromkeys(
        ("estimated loc", "loc", "lines", "lines of code", "estimated lines of code"), "lines"
    ),
    **dict.fromkeys(("test requirements", "test requirement"), "Test Requirements"),
    **dict.fromkeys(("implementation steps", "implementation step"), "Implementation Steps"),
    **dict.fromkeys(("completion checklist",), "Completion Checklist"),
}
_LISTS = frozenset(
    {"Acceptance Criteria", "Test Requirements", "Implementation Steps", "Completion Checklist"}
)
_WORD = r"(low|small|medium|moderate|high|large|huge|xl|very\s+(?:high|large))\b"
_EFFORT = re.compile(rf"{_WORD}(?:\s*(?:[-–—/|]|to|or)\s*{_WORD})?", re.IGNORECASE)
_SAME_EFFORT = {"low": "Low", "small": "Low", "medium": "Medium", "moderate": "Medium"}
"""Every other known word means High."""
_AMOUNT = re.compile(
    r"(?<![\w.])([0-9]{1,3}(?:[,_ ][0-9]{3}){1,3}|[0-9]{1,18})(?:\.([0-9]))?(k?)(?![\w.,][0-9])",
    re.IGNORECASE,
)
_LINES_SAID = re.compile(
    r"([0-9][0-9,_.k–—-]{0,20})\+?\s*(?:production\s+)?(?:lines|loc)\b", re.IGNORECASE
)
_UNDECIDED = frozenset({"tbd", "to be defined", "to do", "...", "…", "?"})
_BOX = re.compile(
    r"([ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+\[)[ xX](\](?:[ \t][^\r\n]*)?(?:\r\n|\r|\n)?)"
)
_SHOWN = 5


@dataclass(frozen=True)
class Task:
    id: str
    """Empty if the file's name contains none."""
    path: str
    goal: str
    depends_on: tuple[str, ...]
    """As written: ids or numbers."""
    agent: str
    """As written; empty if none is named."""
    files: tuple[str, ...]
    """Everything named in its scope."""
    effort: str
    """Low, Medium or High; empty if it is none of them."""
    lines: int | None
    """The most production lines it says it needs; None if it does not say."""
    criteria: tuple[str, ...]
    out_of_scope: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()

    @property
    def production(self) -> tuple[str, ...]:
        """The files in its scope that are neither tests nor documents."""
        return tuple(filter(is_production, self.files))


@dataclass(frozen=True)
class ReadTask:
    """A task file, as far as it can be read."""

    task: Task
    faults: tuple[str, ...] = ()
    """What makes its place in the plan or its limits uncertain."""
    lacks: tuple[str, ...] = ()
    """What is missing or unusable; the task can be worked on all the same."""


def read_task(path: str, text: str) -> ReadTask:
    """The task in a file, and everything that is wrong with the file."""
    reader = _Reader(path, parts(scan(text), LABELS, _LISTS))
    depends, wrong, odd = reader.depends_on()
    agent, about_agent = reader.agent()
    effort, about_effort = reader.effort()
    lines, about_lines = reader.lines()
    task = Task(
        id=id_of(path),
        path=path,
        goal=reader.goal(),
        depends_on=depends,
        agent=agent,
        files=files_in(reader.said("In-scope")),
        effort=effort,
        lines=lines,
        criteria=tuple(_items(reader.said("Acceptance Criteria"))),
        out_of_scope=tuple(_items(reader.said("Out-of-scope"))),
        tests=tuple(_items(reader.said("Test Requirements"))),
        steps=tuple(_items(reader.said("Implementation Steps"))),
        checklist=tuple(_items(reader.said("Completion Checklist"))),
    )
    lacks = [*reader.missing(), *odd, *about_agent, *about_effort, *about_lines]
    if not task.goal and reader.has("Task Goal"):
        lacks.append(
            reader.fault("Task Goal", "Task Goal is empty", "say what is true when it is done")
        )
    if not task.criteria and reader.has("Acceptance Criteria"):
        lacks.append(
            reader.fault(
                "Acceptance Criteria",
                "Acceptance Criteria holds no criterion",
                "add one '- [ ] …' for each",
            )
        )
    faults = (*reader.name_faults(), *wrong)
    return ReadTask(task, tuple(map(str, faults)), tuple(map(str, lacks)))


def unticked(text: str) -> str:
    """The task file with every check box open: the same for two versions that differ only in
    ticks.
    """
    lines, kinds = split_lines(text), scan(text).kinds
    return "".join(
        f"{found[1]} {found[2]}"
        if kinds[number] == "text" and (found := _BOX.fullmatch(line))
        else line
        for number, line in enumerate(lines)
    )


def all_ticked(text: str) -> bool:
    """Whether the file has check boxes and none of them is open."""
    kinds = scan(text).kinds
    boxes = [
        found
        for number, line in enumerate(split_lines(text))
        if kinds[number] == "text" and (found := _BOX.fullmatch(line))
    ]
    return bool(boxes) and not any(found[0][found.end(1)] == " " for found in boxes)


def only_ticks(before: str, after: str) -> tuple[str, ...]:
    """What changed in a task file besides its check boxes; empty if nothing else did."""
    if before == after:
        return ()
    old, new = split_lines(before), split_lines(after)
    if len(old) != len(new):
        at = next(
            (n for n, (one, two) in enumerate(zip(old, new, strict=False), 1) if one != two),
            len(old) + 1,
        )
        return (
            (
                f"{len(old)} lines became {len(new)}, first different at line {at}; only check "
                "boxes may change"
            ),
        )
    kinds = scan(before).kinds
    wrong = [
        number
        for number, (one, two) in enumerate(zip(old, new, strict=True))
        if one != two and not (kinds[number] == "text" and _same_box(one, two))
    ]
    faults = [
        f"line {number + 1} changed; only check boxes may change" for number in wrong[:_SHOWN]
    ]
    return (
        *faults,
        *([f"{len(wrong) - _SHOWN} more lines changed"] if len(wrong) > _SHOWN else []),
    )


def _same_box(one: str, two: str) -> bool:
    before, after = _BOX.fullmatch(one), _BOX.fullmatch(two)
    return bool(before and after and before.groups() == after.groups())


def _items(lines: Sequence[str]) -> Iterator[str]:
    """The list items, each with its continuation lines; a line of prose is an item too."""
    words: list[str] = []
    for line in lines:
        text = item_text(line)
        if text is not None and words:
            yield from _said(words)
            words = []
        words.append(line if text is None else text)
    yield from _said(words)


def _said(words: Sequence[str]) -> Iterator[str]:
    text = " ".join(" ".join(words).split())
    if _is_said(text):
        yield text


def _is_said(text: str) -> bool:
    word = bare(text).strip().rstrip(".").casefold()
    return word not in NOTHING | _UNDECIDED and any(map(str.isalnum, word))


@dataclass(frozen=True)
class _Reader:
    path: str
    parts: tuple[Part, ...]

    def of(self, key: str) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.key == key)

    def has(self, key: str) -> bool:
        return bool(self.of(key))

    def said(self, key: str) -> tuple[str, ...]:
        return tuple(line for part in self.of(key) for line in part.lines)

    def fault(self, key: str, what: str, mend: str) -> Fault:
        found = self.of(key)
        return Fault(f"{self.path}:{found[0].line}" if found else self.path, what, mend)

    def name_faults(self) -> Iterator[Fault]:
        if not id_of(self.path):
            yield Fault(
                self.path,
                "is not the name of a task file",
                "name it NN-description.md, such as 01-parser.md",
            )

    def missing(self) -> Iterator[Fault]:
        for title in TASK_SECTIONS:
            if not self.has(title):
                yield Fault(
                    self.path, f"{title} is missing", f"add '## {title}' or '**{title}:** …'"
                )

    def goal(self) -> str:
        texts = (" ".join(" ".join(part.lines).split()) for part in self.of("Task Goal"))
        return next((text for text in texts if _is_said(text)), "")

    def depends_on(self) -> tuple[tuple[str, ...], tuple[Fault, ...], tuple[Fault, ...]]:
        """The names; words that are not names, which may hide a dependency; and what is merely
        odd.
        """
        names: dict[str, None] = {}
        faults: list[Fault] = []
        lacks: list[Fault] = []
        sets: set[frozenset[str]] = set()
        for part in self.of("depends_on"):
            # If the key has a value on its own line, the lines after it are about something else.
            lines = (
                (part.value,) if part.value else tuple(line for line in part.body if line.strip())
            )
            where = f"{self.path}:{part.line}"
            if not lines:
                lacks.append(
                    Fault(where, "depends_on is empty", "write ids such as 01, 02, or none")
                )
            found: dict[str, None] = {}
            for line in lines:
                text = item_text(line)
                more, wrong = names_in(line if text is None else text)
                found |= dict.fromkeys(more)
                mend = "write ids such as 01, 02, or none"
                faults += [
                    Fault(where, f"depends_on says '{word}', which is not a task id", mend)
                    for word in wrong
                ]
            names |= found
            sets.add(frozenset(found))
        if len(sets) > 1:
            lacks.append(
                self.fault("depends_on", "depends_on stands there twice and differs", "keep one")
            )
        return tuple(names), tuple(faults), tuple(lacks)

    def agent(self) -> tuple[str, tuple[Fault, ...]]:
        said: dict[str, None] = {}
        for part in self.of("agent"):
            word = next((_value(line) for line in part.lines if line.strip()), "")
            if word.casefold() not in NOTHING:
                said[word[:80]] = None
        if len(said) > 1:
            return next(iter(said)), (
                self.fault("agent", f"two agents: {', '.join(said)}", "name one"),
            )
        return next(iter(said), ""), ()

    def effort(self) -> tuple[str, tuple[Fault, ...]]:
        worst, faults = "", list[Fault]()
        order = ("", *EFFORTS, "High")
        for part in self.of("Estimated Effort"):
            text = next((_value(line) for line in part.lines if line.strip()), "")
            found = _EFFORT.match(text)
            words = (
                [_SAME_EFFORT.get(word.casefold(), "High") for word in found.groups() if word]
                if found
                else []
            )
            worst = max([worst, *words], key=order.index)
            if not words:
                mend = f"write {' or '.join(EFFORTS)}"
                faults.append(
                    Fault(f"{self.path}:{part.line}", f"Estimated Effort is '{text[:80]}'", mend)
                )
        return worst, tuple(faults)

    def lines(self) -> tuple[int | None, tuple[Fault, ...]]:
        """The largest number of lines named, which the effort may state too."""
        amounts: list[int] = []
        faults: list[Fault] = []
        for part in self.of("lines"):
            text = next((_value(line) for line in part.lines if line.strip()), "")
            found = _amounts(text)
            amounts += found
            if not found and text.casefold() not in NOTHING:
                faults.append(
                    Fault(
                        f"{self.path}:{part.line}",
                        f"estimated lines say '{text[:80]}'",
                        "write a number",
                    )
                )
        for line in self.said("Estimated Effort"):
            amounts += [amount for text in _LINES_SAID.findall(line) for amount in _amounts(text)]
        return max(amounts, default=None), tuple(faults)


def _value(line: str) -> str:
    text = item_text(line)
    return field_value(bare(line if text is None else text))


def _amounts(text: str) -> list[int]:
    """Numbers as people write them: 300, 1,200, 1.5k; both ends of a range."""
    found: list[int] = []
    for whole, tenth, thousand in _AMOUNT.findall(
        text.replace("–", " - ").replace("—", " - ").replace("-", " - ")
    ):
        number = int(re.sub(r"[,_ ]", "", whole))
        found.append(number * 1000 + int(tenth or 0) * 100 if thousand else number)
    return found
