"""Every parser of text that agents or people write: how it is called, and with which errors it
may refuse.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz import judging, samples
from tests.fuzz.oracles import Kind

from podium.agents import scenario_file, verdict_file
from podium.agents.scripted_model import script_file
from podium.core.errors import ChainBroken, Halted, InputError, UsageError
from podium.documents import edit, json_tree, yaml_tree
from podium.documents.tree import TreeError
from podium.fleet.line import needs
from podium.fleet.store import large_files
from podium.formats import (
    agent_file,
    issue_files,
    markdown,
    markdown_fields,
    strict_json,
    structure,
    toml_text,
)
from podium.importing import statements
from podium.settings import overrides, sources
from podium.simulation import model_file
from podium.state import journal_file, json_file, state_file
from podium.workflows.feature.findings import findings, verification
from podium.workflows.feature.memory import document as memory_document
from podium.workflows.feature.memory import knowledge, suggestions
from podium.workflows.feature.plan import syntax as plan_syntax
from podium.workflows.feature.plan import tasks
from podium.workflows.governed.memory import file as memory_file
from podium.workflows.governed.memory import notes, session_outcome
from podium.workflows.governed.phase import patches
from podium.workflows.governed.plan import reading as plan_reading
from podium.workflows.governed.policy import policy as governed_policy
from podium.workflows.harness import qa, run_state, stages, task
from podium.workflows.roadmap import adr
from podium.workflows.roadmap.items import reading, rewriting
from podium.workflows.roadmap.messages import check_table, compressed_lines
from podium.workflows.ticket import docs_cache, impact, plan_document, review_document
from podium.workflows.ticket.progress import document as progress_document
from podium.workflows.ticket.request import issue_file, mandates, prompt_document, request, words
from podium.workflows.ticket.tasks import document as tasks_document

Errors = tuple[type[Exception], ...]
AT = "some/file"


@dataclass(frozen=True)
class Parser:
    """One way in for text. At least one of `holds`, `data` and `prose` says what makes a reading
    a right one.
    """

    module: str
    """As it is imported, without `podium.`."""
    read: Callable[[str], Any]
    refuses: Errors = ()
    """What it may raise; empty = it takes any text and says what is wrong with it."""
    holds: Callable[[str, Any], bool] | None = None
    """What must be true of whatever was read."""
    clean: Callable[[Any], bool] = field(default=lambda _found: True)
    """Whether a reading tells of no fault; for parsers that tell instead of refusing."""
    data: Kind | None = None
    """A format of named members: one that nobody defined is refused, or kept; one that is there
    twice is refused.
    """
    free: tuple[str, ...] = ()
    """data: places where any name may stand."""
    keeps: Callable[[str], str] | None = None
    """How the program writes the file on; members that it does not know, and words of people,
    stay in it.
    """
    prose: Callable[[Any], Any] | None = None
    """Markdown: what of a reading must not change by words in code or in a comment."""


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """One for all examples; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="podium-fuzz-", ignore_cleanup_errors=True)


def _scratch(text: str, name: str = "podium.toml") -> Path:
    path = Path(_folder().name, name)
    path.write_bytes(text.encode(errors="surrogatepass"))
    return path


def _closed(found: Any) -> bool:
    """A review that was read has only words of the closed sets."""
    review, faults = found
    return (
        bool(faults)
        if review is None
        else review.result in qa.RESULTS and review.readiness in qa.READINESS
    )


def _same_lines(text: str, found: Any) -> bool:
    return len(found.lines) == len(found.kinds)


def _same(found: Any) -> Any:
    return found


def _added(text: str, found: str) -> bool:
    """All that stood there stands there still, and the new word beside it."""
    before, after = (yaml_tree.parse_yaml(each).data for each in (text, found))
    return bool({**(before or {}), "status": "DONE"} == after)


def _headed(text: str, found: Any) -> bool:
    """A head is taken whole, and what is below it word for word."""
    return (
        text.replace("\r\n", "\n").replace("\r", "\n").endswith(found.body)
        or found.body.strip() in text
    )


def _went_on(text: str) -> str:
    """A run-state after the next stage has begun."""
    now = replace(
        run_state.parse(text, AT), stage="QA", run_id="RUN-2", completed=("Specification", "Build")
    )
    return run_state.update(text, now, ["a word of the program"])


def _moved_on(text: str) -> str:
    """A roadmap after the loop has taken up its first item."""
    found = reading.reading(text, AT).items
    return rewriting.rewritten(
        text, AT, {each.id: rewriting.Owned("in_progress", False, 1) for each in found[:1]}
    )


def _state(name: str) -> Parser:
    kind = samples.workflow(name).run_type
    return Parser(
        "state.state_file",
        lambda text: state_file.load(_scratch(text, "state.json"), kind),
        BAD,
        data="json",
        free=FREE_STATE,
    )


def _model(name: str) -> Parser:
    known = model_file.known_of(samples.workflow(name))
    return Parser(
        "simulation.model_file",
        lambda text: model_file.parse(text, AT, known),
        BAD,
        data="toml",
        free=("/step/*/words", "/step/*/sets", "/step/*/sets/*", "/begin/*", "/begin/*/*"),
    )


BAD: Errors = (InputError,)
DOCS = dict.fromkeys(docs_cache.DOCS, "# A\n")
FREE_STATE = (
    "/approvals",
    "/item",
    "/item/*",
    "/ended",
    "/*_seen",
    "/results",
    "/memory",
    "/docs",
    "/impact",
    "/metrics",
    "/review",
    "/reviews",
    "/reviews/*",
    "/plan",
    "/plan/*",
    "/sent",
    "/discovered",
    "/found",
    "/fresh",
    "/final",
    "/records",
    "/records/*",
)
"""Members of runs that hold what agents and documents said, as it was said."""
PARSERS: dict[str, Parser] = {
    "markdown": Parser("formats.markdown", markdown.scan, holds=_same_lines),
    "markdown fields": Parser(
        "formats.markdown_fields",
        markdown_fields.fields,
        holds=lambda text, found: all(each.value in text for each in found),
    ),
    "structure": Parser("formats.structure", structure.structure_of, prose=_same),
    "JSON with places": Parser(
        "documents.json_tree",
        json_tree.parse_json,
        (TreeError,),
        holds=lambda text, found: found.data == json.loads(text.lstrip("\ufeff")),
        data="json",
        free=("*",),
    ),
    "YAML with places": Parser(
        "documents.yaml_tree", yaml_tree.parse_yaml, (TreeError,), data="yaml", free=("*",)
    ),
    "YAML edited": Parser(
        "documents.edit",
        lambda text: edit.merge_yaml(text, {"status": "DONE"}),
        (TreeError,),
        holds=_added,
    ),
    "TOML": Parser(
        "formats.toml_text",
        lambda text: toml_text.parse(text, AT),
        BAD,
        data="toml",
        free=("*",),
        holds=lambda _text, found: isinstance(found, dict),
    ),
    "agent file": Parser(
        "formats.agent_file",
        lambda text: agent_file.parse(text.encode(errors="surrogatepass"), "x.agent.md"),
        BAD,
        holds=_headed,
    ),
    "agent file of Claude": Parser(
        "formats.agent_head",
        lambda text: agent_file.parse(text.encode(errors="surrogatepass"), ".claude/agents/x.md"),
        BAD,
        holds=_headed,
    ),
    "issue": Parser(
        "formats.issue_files",
        lambda text: issue_files.read_issue(text, "issue.txt"),
        BAD,
        holds=lambda _text, found: bool(found.title.strip()),
    ),
    "pointers of a parcel": Parser(
        "fleet.store.large_files", large_files.read, (Halted,), data="json"
    ),
    "prose with rules": Parser(
        "importing.statements",
        statements.statements,
        holds=lambda text, found: all(
            1 <= each.line <= len(text.splitlines()) + 1 for each in found
        ),
    ),
    "scenario": Parser(
        "agents.scenario_file",
        lambda text: scenario_file.parse(text, AT),
        BAD,
        data="yaml",
        free=(
            "/agents",
            "/keys",
            "/*/verdict",
            "/*/verdict/*",
            "/*/write",
            "/*/append",
            "/*/chmod",
            "/*/symlink",
            "/defaults/write",
        ),
    ),
    "script of a model": Parser(
        "agents.scripted_model.script_file",
        lambda text: script_file.load(_scratch(text)),
        BAD,
        data="yaml",
        free=("", "*/report", "*/report/*"),
    ),
    "verdict file": Parser(
        "agents.verdict_file",
        lambda text: verdict_file._object(text.encode(errors="surrogatepass"), "v"),
        (verdict_file.BadFile,),
        holds=lambda _text, found: isinstance(found, dict),
        data="json",
        free=("*",),
    ),
    "journal": Parser(
        "state.journal_file",
        lambda text: journal_file.decode(text.encode(errors="surrogatepass"), AT),
        (ChainBroken,),
        holds=lambda text, found: (
            [each["seq"] for each in found.events] == [*range(1, len(found.events) + 1)]
        ),
        data="lines",
    ),
    "JSON object": Parser(
        "state.json_file",
        lambda text: json_file.parse_object(text.encode(errors="surrogatepass"), AT),
        BAD,
        data="json",
        free=("*",),
    ),
    "podium.toml": Parser(
        "settings.sources",
        lambda text: sources.load(_scratch(text).parent, {}),
        BAD,
        data="toml",
        free=("/agents", "/roles"),
    ),
    **{f"state.json of {name}": _state(name) for name in samples.WORKFLOWS},
    **{f"model of {name}": _model(name) for name in ("harness", "governed")},
    "--set": Parser(
        "settings.overrides",
        lambda text: overrides.parse_setting(text, "harness"),
        BAD,
        holds=lambda text, found: text.split("=")[0].strip().endswith(found[0]),
    ),
    "--set of governed": Parser(
        "settings.overrides",
        lambda text: overrides.parse_setting(text, "governed"),
        BAD,
        holds=lambda text, found: text.split("=")[0].strip().endswith(found[0]),
    ),
    "--policy": Parser(
        "settings.overrides",
        lambda text: overrides.policy_file(_scratch(text, "policy.json"), "harness"),
        BAD,
        data="json",
    ),
    "needs of a run": Parser(
        "fleet.line.needs",
        lambda text: needs.checked(text.split(",")),
        BAD,
        holds=lambda _text, found: found == sorted(set(found)),
    ),
    "QA document": Parser(
        "workflows.harness.qa_document", qa.parse_qa, holds=lambda _text, found: _closed(found)
    ),
    "harness task": Parser(
        "workflows.harness.task", lambda text: task.TASK.read(text, AT).sound(), BAD, prose=repr
    ),
    "harness stages": Parser(
        "workflows.harness.stages", lambda text: stages.parse_stages(text, AT), BAD, data="toml"
    ),
    "run-state": Parser(
        "workflows.harness.run_state",
        lambda text: run_state.parse(text, AT),
        BAD,
        prose=lambda found: replace(found, notes=""),
        keeps=_went_on,
    ),
    "feature plan": Parser("workflows.feature.plan.syntax", plan_syntax.read_plan, prose=_same),
    "feature task": Parser(
        "workflows.feature.plan.tasks",
        lambda text: tasks.read_task("tasks/01-a.md", text),
        prose=_same,
        clean=lambda found: not found.faults and not found.lacks,
    ),
    "design review": Parser("workflows.feature.findings.findings", findings.read_ct, prose=_same),
    "code review": Parser("workflows.feature.findings.findings", findings.read_review, prose=_same),
    "v-build": Parser(
        "workflows.feature.findings.verification", verification.read_v_build, prose=_same
    ),
    "v-tests": Parser(
        "workflows.feature.findings.verification", verification.read_v_tests, prose=_same
    ),
    "v-tasks": Parser(
        "workflows.feature.findings.verification", verification.read_v_tasks, prose=_same
    ),
    "v-feature": Parser(
        "workflows.feature.findings.verification", verification.read_v_feature, prose=_same
    ),
    "memory": Parser(
        "workflows.feature.memory.document",
        memory_document.parse,
        prose=_same,
        clean=lambda found: not found[1],
    ),
    "suggestions": Parser(
        "workflows.feature.memory.suggestions",
        suggestions.suggestions_in,
        holds=lambda text, found: all(1 <= each.line <= len(text.splitlines()) for each in found),
    ),
    "decisions": Parser(
        "workflows.feature.memory.knowledge",
        lambda text: knowledge.check_decisions(text, ""),
        prose=_same,
    ),
    "strict JSON": Parser(
        "formats.strict_json", strict_json.parse, (ValueError,), data="json", free=("*",)
    ),
    "runtime policy": Parser(
        "workflows.governed.policy.policy", governed_policy.read_policy, BAD, data="json"
    ),
    "governed plan": Parser(
        "workflows.governed.plan.reading",
        plan_reading.read_plan,
        data="json",
        clean=lambda found: found.plan is not None and not found.faults,
    ),
    "governed plan in Markdown": Parser(
        "workflows.governed.plan.markdown_reader",
        plan_reading.read_plan,
        prose=_same,
        clean=lambda found: found.plan is not None and not found.faults,
    ),
    "patch": Parser(
        "workflows.governed.phase.patches",
        patches.read_patch,
        holds=lambda text, found: all(line in text for each in found for line in each.added),
    ),
    "governed memory": Parser(
        "workflows.governed.memory.file",
        memory_file.entries,
        holds=lambda text, found: memory_file.rewritten(text, found) in {text, f"{text}\n"},
    ),
    "log of sessions": Parser(
        "workflows.governed.memory.session_outcome",
        session_outcome.entries,
        holds=lambda text, found: "".join(found) == text[len(text) - sum(map(len, found)) :],
    ),
    "notes": Parser("workflows.governed.memory.notes", notes.ours, prose=_same),
    "roadmap.json": Parser(
        "workflows.roadmap.items.reading",
        lambda text: reading.reading(text, AT),
        BAD,
        data="json",
        free=("/items/*/planningResearch",),
        keeps=_moved_on,
    ),
    "table of checks": Parser(
        "workflows.roadmap.messages.check_table",
        lambda text: check_table.read_checks(markdown.scan(text)),
        prose=_same,
    ),
    "decision record": Parser("workflows.roadmap.adr", adr.check_adr, prose=_same),
    "lines to compress": Parser(
        "workflows.roadmap.messages.compressed_lines",
        lambda text: compressed_lines.readable(markdown.scan(text)),
        holds=lambda text, found: all(each.text.strip() for each in found),
    ),
    "tasks.yaml": Parser(
        "workflows.ticket.tasks.document",
        lambda text: tasks_document.read(text, AT),
        BAD,
        data="yaml",
        keeps=lambda text: tasks_document.update(text, {"TASK-1": {"status": "ACCEPTED"}}, AT),
    ),
    "progress.yaml": Parser(
        "workflows.ticket.progress.document",
        lambda text: progress_document.read(text, AT),
        BAD,
        data="yaml",
        keeps=lambda text: progress_document.update(
            text, replace(progress_document.read(text, AT), status="PAUSED"), AT
        ),
    ),
    "prompt.yaml": Parser(
        "workflows.ticket.request.prompt_document",
        lambda text: prompt_document.read(text, AT),
        BAD,
        data="yaml",
        keeps=lambda text: prompt_document.complete(
            text, original="other", created_at="2026-04-20T10:00:00Z", where=AT
        ),
    ),
    "review.yaml": Parser(
        "workflows.ticket.review_document",
        lambda text: review_document.read(text, AT),
        BAD,
        data="yaml",
        keeps=lambda text: review_document.update(
            text, replace(review_document.read(text, AT), status="REJECTED"), AT
        ),
    ),
    "plan of a ticket": Parser("workflows.ticket.plan_document", plan_document.check, prose=_same),
    "exported issue": Parser(
        "workflows.ticket.request.issue_file",
        lambda text: issue_file.read_issue(text, AT),
        BAD,
        holds=lambda text, found: bool(found.request),
    ),
    "request": Parser(
        "workflows.ticket.request.request",
        lambda text: request.read_request(text, AT),
        (InputError, UsageError),
        holds=lambda text, found: found.original.strip() in text,
    ),
    "mandates": Parser(
        "workflows.ticket.request.mandates",
        mandates.find_mandates,
        holds=lambda text, found: all(each.tool for each in found),
    ),
    "cache of documents": Parser(
        "workflows.ticket.docs_cache",
        lambda text: docs_cache.trust(DOCS, text),
        data="yaml",
        clean=lambda found: found.trust_status == "trusted",
        keeps=lambda text: docs_cache.cache_text(DOCS, "2026-05-01T10:00:00Z", text),
    ),
    "words": Parser(
        "workflows.ticket.request.words",
        words.sentences,
        holds=lambda text, found: all(each.strip() for each in found),
    ),
    "impact": Parser(
        "workflows.ticket.impact",
        lambda text: impact.scan(text, ["src/app.py"]),
        holds=lambda text, found: set(found.likely_files) <= {"src/app.py"},
    ),
    **{
        name: Parser(module, read, holds=holds)
        for name, (module, read, holds) in judging.TABLE.items()
    },
}
ELSEWHERE: dict[str, str] = {
    "agents.acp.tool_call": "tests/agents/acp/test_tool_call.py",
    "agents.gateway.shapes.asking": "tests/agents/gateway/test_shapes.py",
    "agents.headless.heard": "tests/agents/headless/test_streams.py",
    "agents.reporting.server": "tests/agents/reporting/test_server.py",
    "agents.scenario_text": "tests/agents/test_scenario_text.py",
    "agents.scripted_model.prompts": "tests/agents/scripted_model/test_prompts.py",
    "agents.scripted_model.wire.anthropic": "tests/agents/scripted_model/test_wire.py",
    "agents.scripted_model.wire.chat": "tests/agents/scripted_model/test_wire.py",
    "agents.scripted_model.wire.gemini": "tests/agents/scripted_model/test_wire.py",
    "agents.scripted_model.wire.responses": "tests/agents/scripted_model/test_wire.py",
    "agents.profiles.settings_files": "tests/agents/profiles/test_settings_files.py",
    "core.chain": "tests/core/test_chain.py",
    "state.inbox": "tests/state/test_inbox.py",
    "verify.artifact": "tests/verify/test_artifact.py",
    "formats.agent_tools": "tests/formats/test_agent_tools.py",
    "documents.yaml_text": "tests/documents/test_yaml_text.py",
    "workflows.ecosystem_place": "tests/workflows/test_ecosystem_rules.py",
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
    "workflows.roadmap.messages.words": "tests/workflows/test_roadmap_dialects.py",
    "workflows.harness.run_report": "tests/workflows/test_harness_run_report.py",
    "workflows.harness.edits": "tests/workflows/test_harness_run_state.py",
}
"""Parser modules whose property tests stand elsewhere, or that are read through another parser:
where.
"""
