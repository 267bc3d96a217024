"""The events of the journal: what each type means, and the table of types with their fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scripts.pages.tables import code, rows

from podium.core import events

MEANING: Mapping[str, str] = {
    "run.started": (
        "The run exists; `changed` says what of the settings, roles and hooks is not as it was "
        "when the last run started."
    ),
    "run.resumed": "A resting run continues; `reason` says why.",
    "run.edited": "A person changed the state, a document, or rewound the run; it was obeyed.",
    "run.advanced": "One outcome moved the run one step. `stale` and `not_approved` move it back.",
    "run.paused": "The run rests: with `gates` for a person, with `until` for a timer.",
    "run.blocked": "A rule stopped the run; `stop` says which, in one word.",
    "run.completed": (
        "The end. `outcome`: `complete`, `completed_with_findings`, or `complete_unproven`, where "
        "a person went on without proof, or no command speaks for changed code. `proof`: what it "
        "rests on, `passed`, `failed_before` or `none`. `evidence`: what each command proved. "
        "`changes`: the code, as at a gate."
    ),
    "run.cancelled": "A person ended it.",
    "phase.entered": "The phase that the step belongs to begins.",
    "phase.left": "The phase is over.",
    "step.started": (
        "An agent is about to be started, or a check to be made. `definition`: where the role's "
        "definition comes from, and its digest."
    ),
    "step.finished": (
        "The step has an outcome. `commit` and `base` where code was changed; `failure` where the "
        "workflow decides what follows from one."
    ),
    "step.interrupted": "Found started and not finished when the run was opened; it runs again.",
    "step.reused": "The step's earlier result is still valid, so it does not run again.",
    "step.stale": "What the step depends on has changed; it runs again.",
    "step.merged": (
        "Work of one task was merged with what was made beside it; `commit`, `base` and `outputs` "
        "are as merged."
    ),
    "step.conflicted": (
        "The work could not be merged: none of it goes into the project, and the task has failed. "
        "`paths` are the files that clash."
    ),
    "step.held": (
        "The work is good but is kept out of the project: a person changed `paths` meanwhile, and "
        "a gate of kind `drift` asks what to do with both versions. `step.merged` with `over` "
        "follows if the work is taken, `step.stale` if it is done again."
    ),
    "artifact.verified": "The file exists, is readable, is not empty and has the required structure.",  # noqa: E501
    "artifact.rejected": "The file was not accepted; `failure` is `missing`, `empty`, `malformed` or `unreadable`.",  # noqa: E501
    "contract.violated": "The agent changed what it may not; the change is in quarantine and undone.",  # noqa: E501
    "retry.scheduled": "The same step is tried once more; `classification` and `detail` say why.",
    "retry.exhausted": "There are no tries left; `rule` is the limit that was reached.",
    "gate.opened": (
        "A person is asked; `subject` is what they decide on, by digest. `evidence`: what commands "
        "proved; before there is code, `baseline`. `changes`: `files` of the code with `status` "
        "(A, M, D, R for one that only moved), lines and kind, their `total`, and what of "
        "`weakened` tests a person has accepted."
    ),
    "gate.decided": "What the person decided, and the digests of what was on disk at that moment.",
    "gate.stale": "What was decided on has changed; the gate is open again.",
    "gate.void": "The run left the gate another way; nobody needs to decide it any more.",
    "document.saved": "A file of the project was written and read back.",
    "document.drifted": "A file is not as the program last knew it.",
    "budget.reached": (
        "A cap of `[budget]` is used up, or cannot be enforced because what was used is unknown "
        "(`used` is null)."
    ),
    "proof.baseline": (
        "What the project's commands proved before anything was changed; `base` is the commit they "
        "ran on."
    ),
    "proof.checked": (
        "What the commands prove about the code as it is now, before a gate or the end; `key` is "
        "the step that comes next."
    ),
    "proof.waived": (
        "A person goes on without what these commands would prove: for the step `key`, or, where "
        "that is empty, for the whole run."
    ),
    "tests.weakened": (
        "A step changed tests, or what decides how they run: `paths`, `how`, and each of the "
        "`findings` with its lines. `held`: its work is kept out of the project until a person "
        "decides; a finding that is only a `notice` holds nothing."
    ),
    "verdict.contradicted": "Two statements of one answer disagree; the worse counts.",
}

OWN: Mapping[str, tuple[str, str]] = {
    "roadmap.iteration": (
        "`item`, `status`, `text`",
        "An item has ended; `text` is the report of it in Markdown.",
    ),
    "ticket.log": (
        "`event`, `level`, `message`, `iteration`, `task_id`, `parallel_group`",
        "One line of `log.jsonl`.",
    ),
    "ticket.progress": ("`text`, `iteration`", "The progress line, when a number in it changed."),
    "ticket.edited": (
        "`path`, `changes`",
        "A person changed `tasks.yaml` while the run rested; it was obeyed.",
    ),
    "ticket.warning": ("`text`", "Something people should know although it stopped nothing."),
    "feature.warning": (
        "`text`",
        "Something people should know although it stopped nothing; one line for each warning.",
    ),
    "throttle.changed": (
        "`from`, `to`, `because`",
        "Fewer phases run at once from the next wave on.",
    ),
    "governed.gate_event": ("`event`", "A decision, in the form of the schema for gate events."),
    "governed.delegation": (
        "`agent`, `phase`, `payload`",
        "What an agent was given, in the form of its schema.",
    ),
    "governed.report": (
        "`agent`, `phase`, `kind`, `payload`",
        "What the agent sent back; a question in it is also reported separately.",
    ),
    "governed.todo": ("`phase`, `title`, `done`", "The todo of one phase was marked."),
    "governed.failure": (
        "`phase`, `classification`, `action`, `retry_attempt`, `delay_s`, `rule`, `reason`",
        "A phase failed: what follows, and which number of the policy decides that.",
    ),
}
"""Events of single workflows: fields and meaning."""


def event_table() -> str:
    """Every type and its fields, read from the functions that make events."""
    tree = ast.parse(Path(events.__file__).read_text(encoding="utf-8"))
    body = []
    for function in (each for each in tree.body if isinstance(each, ast.FunctionDef)):
        texts = [each.value for each in ast.walk(function) if isinstance(each, ast.Constant)]
        kinds = [
            each
            for each in texts
            if isinstance(each, str) and re.fullmatch(r"[a-z]+\.[a-z]+", each)
        ]
        fields = dict.fromkeys(name for name in _keys(function) if name != "type")
        body += [(code(kind), ", ".join(map(code, fields)), MEANING[kind]) for kind in kinds]
    body += [(code(kind), fields_of, meaning) for kind, (fields_of, meaning) in OWN.items()]
    return rows(("Type", "Fields beside the common ones", "Meaning"), body)


def _keys(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        made = node.keys if isinstance(node, ast.Dict) else ()
        added = (
            (node.slice,)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            else ()
        )
        for each in (*made, *added):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value
