"""The tables of the harness: the stages it ships with, and the keys of a stage."""

from __future__ import annotations

from scripts.pages.tables import code, field_texts, rows, shown

from podium.wiring import scaffold_text
from podium.workflows.harness.stages import StageSpec, parse_stages


def stages() -> tuple[StageSpec, ...]:
    return parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")


def stage_table() -> str:
    body = [
        (
            each.name,
            code(each.role),
            each.kind,
            code(each.path.replace("{task}", "T001")) or "code, and a summary",
            " ".join(code(read) for read in each.reads if read.startswith("@")) or "–",
            each.code_access,
            "yes" if each.approval_before else "no",
        )
        for each in stages()
    ]
    head = ("Stage", "Role", "Kind", "Writes", "Artifacts it reads", "Code", "Approval before")
    return rows(head, body)


def stage_fields() -> str:
    names = {each.name: each.default for each in StageSpec.__dataclass_fields__.values()}
    texts = field_texts("podium.workflows.harness.stages", "StageSpec")
    needed = {"name", "code", "role"}
    body = [
        (code(name), "needed" if name in needed else shown(names[name]), texts[name])
        for name in names
    ]
    return rows(("Key", "Default", "Meaning"), body)
