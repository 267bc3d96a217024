"""Every parser of text that agents or people write: how it is called, and with which errors it may refuse."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from podium.agents import scenario_file, verdict_file
from podium.agents.scripted_model import script_file
from podium.core.errors import ChainBroken, Halted, InputError, UsageError
from podium.fleet.line import needs
from podium.fleet.store import large_files
from podium.formats import (
    agent_file,
    issue_files,
    json_text,
    markdown,
    markdown_fields,
    structure,
    yaml_edit,
    yaml_tree,
)
from podium.importing import statements
from podium.settings import sources
from podium.state import journal_file, json_file
from podium.workflows.feature.findings import findings, verification
from podium.workflows.feature.memory import document as memory_document
from podium.workflows.feature.memory import knowledge, suggestions
from podium.workflows.feature.plan import syntax as plan_syntax
from podium.workflows.feature.plan import tasks
from podium.workflows.governed.memory import file as memory_file
from podium.workflows.governed.memory import notes, session_outcome
from podium.workflows.governed.payloads import strict_json
from podium.workflows.governed.phase import commit_message, patches
from podium.workflows.governed.plan import reading as plan_reading
from podium.workflows.governed.policy import policy as governed_policy
from podium.workflows.governed.review import regressions
from podium.workflows.harness import qa, run_state, stages, task
from podium.workflows.roadmap import adr
from podium.workflows.roadmap.items import reading
from podium.workflows.roadmap.messages import check_table, compressed_lines
from podium.workflows.ticket import docs_cache, impact, plan_document, review_document
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.progress import log_lines
from podium.workflows.ticket.request import issue_file, mandates, prompt_document, request, words
from podium.workflows.ticket.tasks import document as tasks_document

Errors = tuple[type[Exception], ...]
AT = "some/file"


@dataclass(frozen=True)
class Parser:
    """One way in for text."""

    module: str
    """As it is imported, without `podium.`."""
    read: Callable[[str], Any]
    refuses: Errors = ()
    """What it may raise; empty = it takes any text and says what is wrong with it."""
    holds: Callable[[str, Any], bool] = field(default=lambda _text, _found: True)
    """What must be true of whatever was read."""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One for all examples; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="podium-fuzz-", ignore_cleanup_errors=True)


def _scratch(text: str) -> Path:
    path = Path(_folder().name, "podium.toml")
    path.write_bytes(text.encode(errors="surrogatepass"))
    return path


def _closed(found: Any) -> bool:
    """A review that was read has only words of the closed sets."""
    review, faults = found
    return bool(faults) if review is None else review.result in qa.RESULTS and review.readiness in qa.READINESS


def _same_lines(text: str, found: Any) -> bool:
    return len(found.lines) == len(found.kinds)


BAD: Errors = (InputError,)
PARSERS: dict[str, Parser] = {
    "markdown": Parser("formats.markdown", markdown.scan, holds=_same_lines),
    "markdown fields": Parser("formats.markdown_fields", markdown_fields.fields),
    "structure": Parser("formats.structure", structure.structure_of),
    "JSON with places": Parser("formats.json_text", lambda text: json_text.parse(text, AT), BAD),
    "YAML with places": Parser("formats.yaml_tree", lambda text: yaml_tree.parse(text, AT), BAD),
    "YAML edited": Parser("formats.yaml_edit", lambda text: yaml_edit.merge(text, {"status": "DONE"}, AT), BAD),
    "agent file": Parser("formats.agent_file", lambda text: agent_file.parse(text.encode(errors="surrogatepass"), "x.agent.md"), BAD),
    "agent file of Claude": Parser(
        "formats.agent_head", lambda text: agent_file.parse(text.encode(errors="surrogatepass"), ".claude/agents/x.md"), BAD
    ),
    "issue": Parser("formats.issue_files", lambda text: issue_files.read_issue(text, "issue.txt"), BAD, holds=lambda _text, found: bool(found.title.strip())),
    "pointers of a parcel": Parser("fleet.store.large_files", large_files.read, (Halted,)),
    "prose with rules": Parser("importing.statements", statements.statements),
    "scenario": Parser("agents.scenario_file", lambda text: scenario_file.parse(text, AT), BAD),
    "script of a model": Parser("agents.scripted_model.script_file", lambda text: script_file.load(_scratch(text)), BAD),
    "verdict file": Parser(
        "agents.verdict_file", lambda text: verdict_file._object(text.encode(errors="surrogatepass"), "v"), (verdict_file.BadFile,),
        holds=lambda _text, found: isinstance(found, dict),
    ),
    "journal": Parser("state.journal_file", lambda text: journal_file.decode(text.encode(errors="surrogatepass"), AT), (ChainBroken,),
                      holds=lambda _text, found: not found.events),
    "JSON object": Parser("state.json_file", lambda text: json_file.parse_object(text.encode(errors="surrogatepass"), AT), BAD),
    "podium.toml": Parser("settings.sources", lambda text: sources.load(_scratch(text).parent, {}), BAD),
    "needs of a run": Parser("fleet.line.needs", lambda text: needs.checked(text.split(",")), BAD, holds=lambda _text, found: found == sorted(set(found))),
    "QA document": Parser("workflows.harness.qa_document", qa.parse_qa, holds=lambda _text, found: _closed(found)),
    "harness task": Parser("workflows.harness.task", lambda text: task.parse_task(text, AT), BAD),
    "harness stages": Parser("workflows.harness.stages", lambda text: stages.parse_stages(text, AT), BAD),
    "run-state": Parser("workflows.harness.run_state", lambda text: run_state.parse(text, AT), BAD),
    "feature plan": Parser("workflows.feature.plan.syntax", plan_syntax.read_plan),
    "feature task": Parser("workflows.feature.plan.tasks", lambda text: tasks.read_task("tasks/01-a.md", text)),
    "design review": Parser("workflows.feature.findings.findings", findings.read_ct),
    "code review": Parser("workflows.feature.findings.findings", findings.read_review),
    "v-build": Parser("workflows.feature.findings.verification", verification.read_v_build),
    "v-tests": Parser("workflows.feature.findings.verification", verification.read_v_tests),
    "v-tasks": Parser("workflows.feature.findings.verification", verification.read_v_tasks),
    "v-feature": Parser("workflows.feature.findings.verification", verification.read_v_feature),
    "memory": Parser("workflows.feature.memory.document", memory_document.parse),
    "suggestions": Parser("workflows.feature.memory.suggestions", suggestions.suggestions_in),
    "decisions": Parser("workflows.feature.memory.knowledge", lambda text: knowledge.check_decisions(text, "")),
    "strict JSON": Parser("workflows.governed.payloads.strict_json", strict_json.parse, (ValueError,)),
    "runtime policy": Parser("workflows.governed.policy.policy", governed_policy.read_policy, BAD),
    "governed plan": Parser("workflows.governed.plan.reading", plan_reading.read_plan),
    "governed plan in Markdown": Parser("workflows.governed.plan.markdown_reader", plan_reading.read_plan),
    "patch": Parser("workflows.governed.phase.patches", patches.read_patch),
    "registry of regressions": Parser("workflows.governed.review.regressions", regressions.read_registry),
    "governed memory": Parser("workflows.governed.memory.file", memory_file.entries),
    "log of sessions": Parser("workflows.governed.memory.session_outcome", session_outcome.entries),
    "notes": Parser("workflows.governed.memory.notes", notes.ours),
    "commit message": Parser("workflows.governed.phase.commit_message", commit_message.message_faults),
    "roadmap.json": Parser("workflows.roadmap.items.reading", lambda text: reading.reading(text, AT), BAD),
    "table of checks": Parser("workflows.roadmap.messages.check_table", lambda text: check_table.read_checks(markdown.scan(text))),
    "decision record": Parser("workflows.roadmap.adr", adr.check_adr),
    "lines to compress": Parser("workflows.roadmap.messages.compressed_lines", lambda text: compressed_lines.readable(markdown.scan(text))),
    "tasks.yaml": Parser("workflows.ticket.tasks.document", lambda text: tasks_document.read(text, AT), BAD),
    "progress.yaml": Parser("workflows.ticket.progress.document", lambda text: progress_document.read(text, AT), BAD),
    "prompt.yaml": Parser("workflows.ticket.request.prompt_document", lambda text: prompt_document.read(text, AT), BAD),
    "review.yaml": Parser("workflows.ticket.review_document", lambda text: review_document.read(text, AT), BAD),
    "log.jsonl": Parser("workflows.ticket.progress.log_lines", lambda text: log_lines.read(text, AT)),
    "plan of a ticket": Parser("workflows.ticket.plan_document", plan_document.check),
    "exported issue": Parser("workflows.ticket.request.issue_file", lambda text: issue_file.read_issue(text, AT), BAD),
    "request": Parser("workflows.ticket.request.request", lambda text: request.read_request(text, AT), (InputError, UsageError)),
    "mandates": Parser("workflows.ticket.request.mandates", mandates.find_mandates),
    "cache of documents": Parser("workflows.ticket.docs_cache", lambda text: docs_cache.trust({}, text)),
    "words": Parser("workflows.ticket.request.words", words.sentences),
    "impact": Parser("workflows.ticket.impact", lambda text: impact.scan(text, ["src/app.py"])),
}
ELSEWHERE: dict[str, str] = {
    "formats.agent_tools": "tests/formats/test_agent_tools.py",
    "formats.json_spans": "tests/formats/test_json_text.py",
    "formats.yaml_text": "tests/formats/test_yaml_text.py",
    "formats.yaml_shape": "tests/formats/test_yaml_tree.py",
    "workflows.harness.dialects": "tests/fuzz/test_verdicts.py",
    "workflows.ticket.dialects": "tests/fuzz/test_verdicts.py",
    "workflows.roadmap.dialects": "tests/fuzz/test_verdicts.py",
    "workflows.feature.dialects": "tests/fuzz/test_verdicts.py",
    "workflows.governed.dialects": "tests/fuzz/test_verdicts.py",
    "workflows.governed.review.code_review": "tests/fuzz/test_verdicts.py",
    "workflows.governed.review.plan_audits": "tests/fuzz/test_verdicts.py",
    "workflows.governed.phase.reports": "tests/fuzz/test_verdicts.py",
    "workflows.governed.payloads.questions": "tests/fuzz/test_verdicts.py",
    "workflows.governed.plan.plan": "tests/workflows/test_governed_plan_reading.py",
    "workflows.feature.findings.finding": "tests/workflows/test_feature_findings.py",
    "workflows.feature.findings.blocks": "tests/workflows/test_feature_findings.py",
    "workflows.feature.memory.memory": "tests/workflows/test_feature_memory.py",
    "workflows.feature.plan.rows": "tests/workflows/test_feature_plan.py",
    "workflows.roadmap.items.items": "tests/workflows/test_roadmap_items.py",
    "workflows.roadmap.messages.words": "tests/workflows/test_roadmap_dialects.py",
    "workflows.harness.run_report": "tests/workflows/test_harness_run_report.py",
    "workflows.harness.edits": "tests/workflows/test_harness_run_state.py",
}
"""Parser modules whose property tests stand elsewhere, or that are read through another parser: where."""
