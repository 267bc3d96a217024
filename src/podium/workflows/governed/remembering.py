"""What a task learnt about the project is kept once: new facts go into the memory, ones that
look known go to a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.effects import Check, Gate
from podium.core.run import Run
from podium.core.verdict import Judgement
from podium.workflows.governed import paths
from podium.workflows.governed.contracts import governed
from podium.workflows.governed.memory import file as memory_file
from podium.workflows.governed.memory.memory import CHOICES, decide_memory, settled
from podium.workflows.governed.policy.policy import Policy
from podium.workflows.governed.run import GovernedRun

Texts = Mapping[str, str | None]


def reads(run: Run) -> list[str]:
    return [paths.MEMORY, *memory_file.cited_files(governed(run).facts)]


def keep_facts(
    run: GovernedRun, texts: Texts, _found: Sequence[Mapping[str, Any]], policy: Policy
) -> Judgement:
    """Facts one after another; the first that looks known waits for a person, and so do those
    after it.
    """
    before = texts.get(paths.MEMORY) or ""
    known = list(memory_file.entries(before))
    told: list[str] = []
    left = list(run.facts)
    kept, like = 0, ""
    while left:
        fact = left[0]
        if why := memory_file.uncited(fact, texts):
            told.append(f"not remembered, {why}: {fact['fact']}")
            left.pop(0)
            continue
        found = decide_memory(fact, known, policy)
        if found.kind == "ask" and not (run.choice and fact is run.facts[0]):
            like = found.reason
            break
        if found.kind == "refuse":
            told.append(f"not remembered, {found.reason}: {fact['fact']}")
        elif found.kind == "ask":
            known = list(settled(fact, known, found, run.choice, run.note))
            kept += run.choice != "skip"
        else:
            known.append(dict(fact))
            kept += 1
        left.pop(0)
    sets: dict[str, Any] = {
        "facts": left,
        "choice": "",
        "alike": like,
        "lessons": [*run.lessons, *told],
    }
    after = memory_file.rewritten(before, known)
    writes = {paths.MEMORY: after} if after != before else {}
    said = f"{kept} fact{'' if kept == 1 else 's'} kept" if kept else "nothing new"
    outcome = "ask" if left else "kept"
    return Judgement(
        "revise" if left else "ok",
        said if not left else "looks known",
        like,
        outcome,
        sets=sets,
        writes=writes,
    )


def _shown(run: GovernedRun) -> str:
    if not run.facts:
        return ""
    fact = run.facts[0]
    lines = [
        f"A fact looks known: {run.alike}",
        f"  new: {fact['subject']}: {fact['fact']} ({', '.join(fact['citations'])})",
    ]
    if run.choice:
        lines.append("  create keeps both, and needs a reason: --text TEXT")
    return "\n".join(
        [
            *lines,
            "  skip leaves it out, merge renews the old one, create keeps both with your reason.",
            "",
        ]
    )


KEEP = Check("what was learnt about the project", kind="document", reads=reads)
ASK = Gate(
    "Remember it?", kind="question", choices=CHOICES, detail=lambda run: _shown(governed(run))
)
