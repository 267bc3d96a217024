"""Startup without agents: commands, cores, trust in the documentation, likely files, and the request itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.verdict import Judgement
from podium.workflows.ticket import (
    commits,
    docs_cache,
    ecosystems,
    impact,
    legacy,
    naming,
    prompt_document,
    prompting,
)
from podium.workflows.ticket.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.noting import Evidence, noted, stamp, told
from podium.workflows.ticket.request import Request
from podium.workflows.ticket.run import TicketRun

Texts = Mapping[str, str | None]


def wanted(files: Sequence[str]) -> Sequence[str]:
    return [*ecosystems.wanted(files), *(path for path in (*DOCS, DOCS_CACHE) if path in files)]


def analyse(run: TicketRun, texts: Texts, found: Evidence, policy: Mapping[str, Any]) -> Judgement:
    """Everything that can be known before anybody is asked."""
    seen = told(found, "survey")
    files: Sequence[str] = seen["files"]
    if refused := legacy.refusal(files, run.paths.folder):
        return Judgement("fail", "legacy", refused, "legacy", stop="legacy")
    contents: Mapping[str, str] = {path: text for path, text in seen["texts"].items() if text is not None}
    at = stamp(found)
    documents = {path: texts.get(path) for path in DOCS}
    trust = docs_cache.trust(documents, texts.get(DOCS_CACHE))
    scan = impact.scan(run.text, files, contents)
    projects = ecosystems.detect(files, contents)
    chosen = ecosystems.nearest(projects, scan.likely_files)
    own = told(found, "settings")
    request = Request(run.jira, run.text, run.original)
    prompt = prompting.process(request, run.created_at or at, run.hint)
    architecture, style, findings = (trust.exists[path] for path in DOCS)
    sets: dict[str, Any] = {
        "created_at": run.created_at or at,
        "iteration_began": at,
        "build_command": str(own.get("build") or (chosen.build if chosen else "")),
        "test_command": str(own.get("test") or (chosen.test if chosen else "")),
        "directory": chosen.directory if chosen and not own.get("test") else "",
        "parallel": ecosystems.parallelism(seen["cores"], policy["max_parallel_tasks"]),
        "docs_trusted": trust.trusted,
        "trust_status": trust.trust_status,
        "docs": {
            "architecture_exists": architecture, "code_style_exists": style, "findings_exists": findings,
            "docs_trusted_for_planning": trust.trusted, "refresh_required": not trust.trusted,
        },
        "impact": {"affected_areas": list(scan.affected_areas), "likely_files": list(scan.likely_files)},
    }  # fmt: skip
    why = "; ".join(chosen.why) if chosen else "no build or test command found"
    facts = (
        noted(run, "start", f"{run.jira}: {run.text}"),
        noted(run, "startup.analysis.start", "read-only analysis"),
        noted(run, "startup.analysis.complete", f"{why}; documentation {trust.trust_status}"),
    )
    if isinstance(prompt, prompting.Ambiguous):
        return Judgement("ok", "ambiguous", "; ".join(prompt.reasons), "ambiguous", sets=sets, facts=facts)
    writes = {run.paths.prompt: prompt_document.render(prompt)}
    return Judgement("ok", "clear", "", "clear", sets=sets, facts=facts, writes=writes)


def prompted(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """What prompt.yaml says, whoever wrote it; the program's own fields are put in."""
    text = texts[run.paths.prompt]
    assert text is not None
    done = prompt_document.complete(text, original=run.original, created_at=run.created_at, where=run.paths.prompt)
    prompt = prompt_document.read(done, run.paths.prompt)
    sets = {
        "type": prompt.type,
        "slug": prompt.slug,
        "branch": naming.branch_of(prompt.type, run.jira, prompt.slug),
        "summary": commits.subject(prompt.type, run.jira, prompt.refined_prompt.splitlines()[0]),
        "mandates": [prompt_document.mandate_data(each) for each in prompt.tool_mandates],
    }
    facts = (
        noted(run, "iteration.start", f"iteration {run.iteration + 1}"),
        noted(run, "planner.pre_git_gate.start", "planning before the git gate"),
    )
    writes = {run.paths.prompt: done} if done != text else {}
    return Judgement("ok", prompt.type, prompt.slug, sets=sets, facts=facts, writes=writes)
