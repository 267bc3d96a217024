"""Startup without agents: commands, cores, trust in the documentation, likely files, and the
request itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from podium.core.digest import digest
from podium.core.verdict import Judgement
from podium.workflows import ecosystems
from podium.workflows.ticket import docs_cache, impact, iterations, legacy
from podium.workflows.ticket.git import commits
from podium.workflows.ticket.noting import Evidence, Fact, head, noted, stamp, told, warned
from podium.workflows.ticket.request import naming, prompt_document, prompting
from podium.workflows.ticket.request.naming import DOCS, DOCS_CACHE
from podium.workflows.ticket.request.request import Request
from podium.workflows.ticket.run import TicketRun

Texts = Mapping[str, str | None]


def wanted(files: Sequence[str]) -> Sequence[str]:
    return [*ecosystems.wanted(files), *(path for path in (*DOCS, DOCS_CACHE) if path in files)]


def analyse(run: TicketRun, texts: Texts, found: Evidence, policy: Mapping[str, Any]) -> Judgement:
    """Everything that can be known before anybody is asked."""
    below: Sequence[str] = told(found, "below")["files"]
    if refused := legacy.refusal(below, run.paths.folder):
        return Judgement("fail", "legacy", refused, "legacy", stop="legacy")
    seen = told(found, "survey")
    files: Sequence[str] = seen["files"]
    contents: Mapping[str, str] = {
        path: text for path, text in seen["texts"].items() if text is not None
    }
    at = stamp(found)
    trust = docs_cache.trust({path: texts.get(path) for path in DOCS}, texts.get(DOCS_CACHE))
    scan = impact.scan(run.text, files, contents)
    sets: dict[str, Any] = {
        "created_at": run.created_at or at,
        "head": head(found),
        "docs_trusted": trust.trusted,
        "trust_status": trust.trust_status,
        "docs_due": list(trust.refresh),
        "docs": _docs_state(trust),
        "impact": {
            "affected_areas": list(scan.affected_areas),
            "likely_files": list(scan.likely_files),
        },
    }
    why, commands = _commands(run, files, contents, scan.likely_files, told(found, "settings"))
    sets |= commands
    if not run.resumes_at:
        sets["parallel"] = policy["max_parallel_tasks"] or ecosystems.parallelism(seen["cores"])
    sets["warnings"], warnings = warned(run, legacy.warning(below, run.paths.folder))
    facts: tuple[Fact, ...] = (
        *warnings,
        noted(None, "startup.analysis.start", "read-only analysis"),
        noted(None, "startup.analysis.complete", f"{why}; documentation {trust.trust_status}"),
    )
    if run.resumes_at:
        facts += (
            noted(run.iteration, "resume", f"from {run.paths.progress}, at {run.resumes_at}"),
        )
        return Judgement("ok", "restored", "", "restored", sets=sets, facts=facts)
    facts += (noted(None, "start", f"{run.jira}: {run.text}"),)
    prompt = prompting.process(
        Request(run.jira, run.text, run.original), run.created_at or at, run.hint
    )
    if isinstance(prompt, prompting.Ambiguous):
        sets["unclear"] = list(prompt.reasons)
        return Judgement(
            "ok", "ambiguous", "; ".join(prompt.reasons), "ambiguous", sets=sets, facts=facts
        )
    writes = {run.paths.prompt: prompt_document.render(prompt)}
    return Judgement("ok", "clear", why, "clear", sets=sets, facts=facts, writes=writes)


def _docs_state(trust: docs_cache.DocsTrust) -> dict[str, bool]:
    architecture, style, findings = (trust.exists[path] for path in DOCS)
    return {
        "architecture_exists": architecture,
        "code_style_exists": style,
        "findings_exists": findings,
        "docs_trusted_for_planning": trust.trusted,
        "refresh_required": not trust.trusted,
    }


def _commands(
    run: TicketRun,
    files: Sequence[str],
    contents: Mapping[str, str],
    likely: Sequence[str],
    own: Mapping[str, Any],
) -> tuple[str, dict[str, str]]:
    """How the project is built and tested, and why: settings win over detection, progress.yaml
    over both.
    """
    if run.resumes_at:
        return f"commands from {run.paths.progress}", {}
    chosen = ecosystems.nearest(ecosystems.detect(files, contents), likely)
    build, test = str(own.get("build") or ""), str(own.get("test") or "")
    why = [f"{name} from the settings" for name, said in (("build", build), ("test", test)) if said]
    if chosen is not None and not (build and test):
        why += chosen.why
    sets = {
        "build_command": build or (chosen.build if chosen else ""),
        "test_command": test or (chosen.test if chosen else ""),
        # Commands from the settings run in the project's own folder.
        "directory": chosen.directory if chosen and not build and not test else "",
    }
    return "; ".join(why) or "no build or test command found", sets


def prompted(run: TicketRun, texts: Texts, _found: Evidence) -> Judgement:
    """What prompt.yaml says, whoever wrote it; the program fills in its own fields."""
    text = texts[run.paths.prompt]
    assert text is not None
    done = prompt_document.complete(
        text, original=run.original, created_at=run.created_at, where=run.paths.prompt
    )
    prompt = prompt_document.read(done, run.paths.prompt)
    sets = {
        "type": prompt.type,
        "slug": prompt.slug,
        "branch": naming.branch_of(prompt.type, run.jira, prompt.slug),
        "summary": commits.subject(prompt.type, run.jira, prompt.refined_prompt.splitlines()[0]),
        "mandates": [prompt_document.mandate_data(each) for each in prompt.tool_mandates],
    }
    # A file keeps the otherwise empty folder.
    writes = {
        **({run.paths.prompt: done} if done != text else {}),
        f"{run.paths.scratch}/.gitkeep": "",
    }
    return Judgement("ok", prompt.type, prompt.slug, sets=sets, writes=writes)


def begin(run: TicketRun, texts: Texts, found: Evidence, policy: Mapping[str, Any]) -> Judgement:
    """The start of an iteration: when it began, from which commit, and what was already in its
    folder.
    """
    left = texts.get(run.paths.tasks(run.iteration))
    limit = policy["max_iterations"]
    sets = {
        "iteration_began": stamp(found),
        "head": head(found),
        "leftover": digest(left) if left is not None else "",
        "max_iterations": limit,
    }
    said = iterations.spoken(run.iteration, limit)
    facts = (
        noted(run.iteration, "iteration.start", said),
        noted(
            run.iteration,
            "planner.pre_git_gate.start",
            f"input {run.paths.planning_input(run.iteration)}",
        ),
    )
    return Judgement("ok", said, "", sets=sets, facts=facts)
