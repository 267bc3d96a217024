"""The work of a run as a tree: phases, steps, waves and their tasks, groups, child runs and
their steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from podium.views import figures
from podium.views.board.board import Board
from podium.views.board.groups import Group, Iteration, Task
from podium.views.board.row import OVER, Row, State
from podium.views.groups.state import group_state, inside, standing, word_of

MOST = 40
"""The most nodes below one node; of more, those that need attention and the last of the others."""


@dataclass(frozen=True)
class Node:
    name: str
    state: str
    kind: str = ""
    role: str = ""
    title: str = ""
    said: str = ""
    """The agent's own word, how often it was tried, or what happened last."""
    key: str = ""
    """For a step or a gate that has a page."""
    took: str = ""
    started: str = ""
    below: tuple[Node, ...] = field(default=())
    left_out: int = 0
    """Nodes below it that are not shown."""
    done: int = 0
    whole: int = 0

    @property
    def open(self) -> bool:
        """Whether what is below it is shown at once."""
        return self.state not in OVER or self.kind in {"phase", "iteration"} or len(self.below) <= 6


def tree(board: Board, now: float | None = None) -> list[Node]:
    """A node for each phase with its steps; steps without a phase are separate."""
    found: list[Node] = []
    grouped = False
    for name, row in board.rows.items():
        if inside(board, name):
            nodes = [] if grouped else list(_iterations(board, now))
            grouped = True
        else:
            nodes = [_node(row, now)] if _matters(board, name, row) else []
        phase = _phase(board, name)
        for node in nodes:
            if phase and found and found[-1].kind == "phase" and found[-1].name == phase:
                found[-1] = replace(found[-1], below=(*found[-1].below, node))
            else:
                found.append(Node(phase, "", "phase", below=(node,)) if phase else node)
    return [_phased(each) if each.kind == "phase" else each for each in found]


def _phase(board: Board, name: str) -> str:
    step = board.steps.get(name)
    return step.phase if step is not None else ""


def _phased(node: Node) -> Node:
    """A phase with the combined state of its steps; one with a single step of the same name
    becomes that step.
    """
    only = node.below[0] if len(node.below) == 1 else None
    if only is not None and only.kind not in {"group", "iteration"}:
        return only if _same(only.name, node.name) else replace(only, title=only.title or node.name)
    states = {each.state for each in node.below}
    state = next((each for each in ("waiting", "running", "failed", "stale") if each in states), "")
    over = states <= OVER
    state = state or (
        "done"
        if "done" in states and over
        else "skipped"
        if over
        else "running"
        if "done" in states
        else "pending"
    )
    return replace(
        node,
        state=state,
        done=sum(each.state in OVER for each in node.below),
        whole=len(node.below),
    )


def _same(one: str, other: str) -> bool:
    return one.casefold().replace("-", " ").replace("_", " ") == other.casefold().replace(
        "-", " "
    ).replace("_", " ")


def _matters(board: Board, name: str, row: Row) -> bool:
    """Whether a row is shown: a check while it says something, a rare step once it has started."""
    step = board.steps.get(name)
    if row.kind == "check":
        return row.state in {"running", "failed", "waiting", "stale"} and not row.told
    return bool(row.started or row.children) or step is None or not step.rare


def _node(row: Row, now: float | None) -> Node:
    only = next(iter(row.children.values())) if len(row.children) == 1 else None
    if only is not None and only.kind == "visit" and only.name == row.name:
        row = replace(row, children=only.children, key=only.key if not only.children else row.key)
    shown = [
        each
        for each in row.children.values()
        if each.kind != "check" or each.state not in {*OVER, "pending"}
    ]
    below, left_out = chosen([_node(each, now) for each in shown])
    done, whole = sum(each.state in OVER for each in shown), len(shown)
    word = row.verdict.partition(":")[0]
    said = [
        row.effort(),
        row.now_at() if row.kind == "child" and row.state == "running" else "",
        word if row.state != "pending" else "",
    ]
    if row.state in {"failed", "waiting", "stale", "running"} or not word:
        said.append(row.last.partition("\n")[0])
    seconds = row.seconds(now)
    return Node(
        name=row.name,
        state=row.state,
        kind=row.kind,
        role=row.role if row.role != row.name else "",
        title=row.title,
        said=" · ".join(dict.fromkeys(each for each in said if each)),
        key=row.key if row.kind not in {"visit", "child"} and not row.children else "",
        took="" if seconds is None else figures.seconds(seconds),
        started=row.started if row.state == "running" and not row.finished else "",
        below=tuple(below),
        left_out=left_out,
        done=done,
        whole=whole,
    )


def chosen(nodes: Sequence[Node]) -> tuple[list[Node], int]:
    """(nodes in order, number left out): what is over is dropped first, then what is to come."""
    if len(nodes) <= MOST:
        return list(nodes), 0
    ranks = {"failed": 0, "waiting": 0, "running": 0, "stale": 0, "pending": 1}
    order = sorted(
        range(len(nodes)),
        key=lambda at: (ranks.get(nodes[at].state, 2), -at if nodes[at].state in OVER else at),
    )
    kept = sorted(order[:MOST])
    return [nodes[at] for at in kept], len(nodes) - len(kept)


def _iterations(board: Board, now: float | None) -> Iterator[Node]:
    known = list(board.work.iterations.values())
    for each in known:
        groups = tuple(_group(board, each, group, now) for group in each.groups)
        if len(known) == 1:
            yield from groups
            continue
        state = {"ACCEPTED": "done", "REJECTED": "failed"}.get(
            each.status, "running" if each is known[-1] and board.status == "active" else "done"
        )
        said = " · ".join(
            text for text in (word_of(each.status), each.reason.partition("\n")[0]) if text
        )
        yield Node(
            f"iteration {each.number + 1}",
            state,
            "iteration",
            said=said,
            below=groups,
            took=_took(each.began, each.ended),
        )


def _group(board: Board, iteration: Iteration, group: Group, now: float | None) -> Node:
    present = iteration is board.work.now
    state: State = group_state(board, group) if present else "done" if group.done else "failed"
    tasks, left_out = chosen(
        [_task(board, group, task, now) if present else _past(task) for task in group.tasks]
    )
    return Node(
        f"group {group.name}",
        state,
        "group",
        group.strategy,
        said=group.failure,
        took=_took(group.began, group.ended),
        below=tuple(tasks),
        left_out=left_out,
        done=group.accepted,
        whole=len(group.tasks),
    )


def _task(board: Board, group: Group, task: Task, now: float | None) -> Node:
    stands = standing(board, group, task)
    row = stands.row
    seconds = row.seconds(now) if row is not None else None
    tried = f"attempt {task.attempt}" if task.attempt > 1 else ""
    said = " · ".join(each for each in (stands.word, tried, stands.said.partition("\n")[0]) if each)
    return Node(
        task.id,
        stands.state,
        "task",
        row.role if row else "",
        said=said,
        key=row.key if row else "",
        took="" if seconds is None else figures.seconds(seconds),
    )


def _past(task: Task) -> Node:
    return Node(
        task.id,
        "done" if task.accepted else "failed",
        "task",
        said=f"{word_of(task.status)} · attempt {max(task.attempt, 1)}",
    )


def _took(began: str, ended: str) -> str:
    return figures.seconds(figures.between(began, ended)) if began and ended else ""
