"""Everything in the documentation that the program already knows: written here, never by hand.

    python scripts/docs.py            writes what is out of date
    python scripts/docs.py --check    writes nothing; exit 1 and one line for each file out of date

Whole files come out of `PAGES`; in the other pages the text between `<!-- generated: NAME -->` and
`<!-- /generated -->` comes out of `BLOCKS`. Pictures are drawn from a real run of the demo's project.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import MISSING
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from hashlib import sha1
from html import escape
from importlib import import_module
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from typing import Any
from unittest import mock

from podium.__main__ import main as command
from podium.agents.profiles.catalog import PROFILES
from podium.cli import table
from podium.cli.commands import check
from podium.cli.demos import project as demo_project
from podium.cli.parser import Parser
from podium.core import diagram as diagrams
from podium.core import events
from podium.core.diagram import graph, mermaid
from podium.core.explore import Exploration, explore
from podium.core.proofs import Violation
from podium.core.rules import Rule
from podium.core.workflow import Workflow
from podium.importing.fixture import from_data
from podium.importing.report import markdown, report
from podium.settings import policies, values
from podium.simulation.fleet.plan import Costs
from podium.views.board.board import Board
from podium.views.frame import frame
from podium.views.look import Line, Look, Tone
from podium.views.svg.family import family
from podium.wiring import App, Parts, RunOptions, scaffold_text
from podium.workflows.catalog import NAMES, entry
from podium.workflows.governed.policy.keys import KEYS
from podium.workflows.harness.stages import StageSpec, parse_stages
from podium.workflows.roadmap.workflow import Roadmap
from podium.workflows.rule_catalog import CATALOGUES, rules

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n)(?P<body>.*?)(<!-- /generated -->)", re.DOTALL)
NOTE = "<!-- Written by scripts/docs.py from the source; edits are lost. -->\n"

POLICY: Mapping[str, str] = {
    "require_approval_before_build": "Ask a person before Build. The task file may say otherwise, `--set` wins over both.",
    "require_approval_before_complete": "Ask a person before Complete. The same precedence.",
    "max_remediations": "How often a review may send the task back before the run is blocked.",
    "repair_attempts": "How often an agent is asked again for an artifact that is missing, empty, malformed or unreadable.",
    "validation_fixes": "How often Build is asked again after a command that Podium ran has new failures.",
    "max_retries": "How often an item goes back to Implement after a failed attempt before it is blocked.",
    "evidence": "`observe`: Podium runs an item's `verification` commands itself after Review, and their exit codes win. `trust`: Testing and Review are believed.",
    "minor_fixes": "What `Minor fixes needed` in a review means: `fail` is a failed attempt, `pass` passes.",
    "keep_going": "Carry on past a blocked item with what does not depend on it. `--keep-going` for one call.",
    "max_items": "End a call after so many items; 0 is no bound. `--max-items N` for one call.",
    "approval_mode": "Ask a person after research and before the first plan is built.",
    "max_parallel": "Agents at once, 1 to 4. More than 4 counts as 4.",
    "max_ct_loops": "How often the design review may send the design back.",
    "max_v_loops": "How often verification may ask for a new plan.",
    "max_r_loops": "How often the review may send tasks back to those who did them.",
    "structure": "`warn`: a document or plan that lacks a section is used, with a warning. `require`: it is refused.",
    "max_iterations": "How many plans a ticket may have: after so many rejected reviews the run stops.",
    "max_attempts": "How often one task may be tried in an iteration; then the run pauses.",
    "max_parallel_tasks": "Tasks at once in a parallel group; 0 is one for each core.",
    "pull_request": "`gh` or `glab`: when all is committed, push the run's own branch to `origin` and open a pull request with that program. `off`: nothing is pushed.",
    "retry_backoff_s": "First delay before a retry of what time may cure; it doubles each time.",
    "step_timeout_s": "Longest time for one dispatch, and for one command that Podium runs as evidence.",
}
GOVERNED: Mapping[str, str] = {
    "approval_required_actions": "What a phase may do only with a person's word; Podium sees it in the plan, in the changes and in the commands.",
    "review_pipeline_by_tier.*.plan_auditor": "Whether a plan of that tier is audited, once a review is due at all.",
    "review_pipeline_by_tier.*.assumption_verifier": "Whether its assumptions are checked, at the same time.",
    "review_pipeline_by_tier.*.executability_verifier": "Whether it is rehearsed, after the others approved.",
    "review_pipeline_by_tier.*.code_review": "Whether the code of its phases is reviewed.",
    "max_iterations_by_tier.*": "How often a plan of that tier may be sent back by its reviewers.",
    "model_dispatch.default_mode": "`auto`: the service chooses the model. `deterministic`: every delegation must name one.",
    "model_dispatch.auto_mode_allow_outer_model_omission": "Whether a delegation may go without a model in the mode `auto`.",
    "model_dispatch.auto_mode_requires_runtime_marker": "Whether a delegation in the mode `auto` says so even where it names a model.",
    "retry_budgets.max_retries_per_phase": "Retries of one phase, all classes of failure together.",
    "retry_budgets.transient_max": "Retries of a failure that passes: no answer, a timeout, a busy service.",
    "retry_budgets.fixable_max": "Retries of a failure that the executor can mend.",
    "retry_budgets.needs_replan_max": "How often phases may send the plan back.",
    "retry_budgets.escalate_max": "Retries of a failure that is for a person; none means that one is asked at once.",
    "retry_budgets.model_unavailable_max": "Retries where the model is not there.",
    "retry_budgets.per_wave_transient_reduction_threshold": "Phases of one wave with a passing failure that slow down the waves after it.",
    "retry_budgets.per_wave_parallelism_reduction_factor": "What is left of the parallelism then, rounded up.",
    "stagnation_detection.same_phase_failure_escalation_threshold": "Failures of one class in a row after which a person is asked, whatever the budgets say.",
    "stagnation_detection.same_classification_repeat_escalation": "Whether that is counted.",
    "session_telemetry.template": "A project's own form of a log entry; its further sections are added to each.",
    "session_telemetry.log_file": "The log of sessions.",
    "session_telemetry.write_timing": "The entry is written before the summary; there is no other way.",
    "session_telemetry.archive_threshold_entries": "Entries that stay in the log; older ones go to a file beside it.",
    "tool_output_policy.spill_directory_template": "Where an executor may leave long output; it stays in its copy of the code.",
    "tool_output_policy.task_slug_pattern": "What the task's name in paths must look like.",
    "tool_output_policy.purge_timing": "Fixed. Nothing that was left there outlives its phase.",
    "tool_output_policy.max_total_mb": "How much of it one dispatch may leave.",
    "plan_review_gate_trigger_conditions.min_phases": "A plan of so many phases is reviewed.",
    "plan_review_gate_trigger_conditions.confidence_threshold": "So is one that its planner is less sure of.",
    "plan_review_gate_trigger_conditions.high_risk_scope_triggers_review": "So is one with high-risk work.",
    "plan_review_gate_trigger_conditions.applicable_high_impact_risk_triggers_review": "So is one with an unresolved high risk, and by all three reviewers.",
    "batch_approval.approval_per": "`wave`: one approval for all phases of a wave. `phase`: one each.",
    "batch_approval.exception_destructive_phases": "A wave with high-risk work is approved phase by phase.",
    "budget_defaults.enabled": "Whether the caps below hold.",
    "budget_defaults.token_cap": "Tokens in and out together.",
    "budget_defaults.wall_clock_s": "Seconds that the run is driven.",
    "budget_defaults.cost_usd": "Cost; `[budget] estimate_usd` stands for a dispatch that does not say.",
    "budget_defaults.enable_reflection": "Whether executors are asked what a phase taught, for the log.",
    "resource_profiles.*.max_parallel_agents": "Phases at once, for plans of that `resource_profile`.",
    "resource_profiles.*.phase_file_limit": "Files that one phase may name; a plan with more goes back.",
    "resource_profiles.*.max_changed_files_default": "Files that one phase may change.",
    "resource_profiles.*.context_packet_required_tiers": "Tiers whose plans must name a context packet.",
    "resource_profiles.*.research_brief_required_for_non_trivial_research": "Whether a researcher is asked first, where the plan names no brief.",
    "resource_profiles.*.code_context_pack_preferred": "Whether a code mapper is asked first, where the plan names no pack.",
    "resource_profiles.*.require_phase_task_card": "Whether executors get the short form of their phase, too.",
    "resource_profiles.*.budget_exceeded_classification": "The class of a phase that changed too many files.",
    "final_review_gate.enabled_by_default": "Whether everything is reviewed once more at the end.",
    "final_review_gate.auto_trigger_tiers": "Tiers for which that is so in any case.",
    "final_review_gate.allow_user_trigger": "Whether `--final-review` counts.",
    "final_review_gate.max_fix_cycles": "How often what it finds is mended before a person is asked.",
    "memory_hygiene.notes_md_max_lines": "Lines of `NOTES.md`.",
    "memory_hygiene.archive_completed_plans_threshold_days": "Days after which the documents of a finished plan are named for the archive.",
    "memory_hygiene.archive_eligible_statuses": "Plans that are; one that ended well counts as `DONE`.",
    "memory_hygiene.repo_memory_dedup_required": "Whether a fact that looks known asks a person.",
    "memory_hygiene.memory_content_types": "Categories of facts that are kept; what researchers find is `project`.",
    "memory_hygiene.session_notes_template_path": "A project's own sections of `NOTES.md`.",
    "memory_hygiene.stale_memory_freshness_days": "Days after which the planner is told to look again before it relies on a remembered fact.",
    "compaction.max_consecutive_failures": "How often in a row an agent may have more to read than it can hold.",
    "compaction.circuit_breaker_action": "After that a person is asked; there is no other way.",
    "task_cache.enabled": "Whether phases are compared with those of earlier plans.",
    "task_cache.lookback_phases": "How many of them.",
    "task_cache.similarity_scope": "By title and files; there is no other way.",
    "task_cache.recommendation_only": "`true`: a remark at the approval. `false`: such a wave is approved phase by phase.",
}
"""Keys of `governance/runtime-policy.json`; `*` stands for a tier or a profile."""
MEANING: Mapping[str, str] = {
    "run.started": "The run exists.",
    "run.resumed": "A resting run goes on, and why.",
    "run.edited": "A person changed the state, a document, or rewound the run; it was obeyed.",
    "run.advanced": "One outcome moved the run one step. `stale` and `not_approved` move it back.",
    "run.paused": "The run rests: with `gates` for a person, with `until` for a timer.",
    "run.blocked": "A rule stopped the run; `stop` says which, in one word.",
    "run.completed": "The end; `complete` or `completed_with_findings`.",
    "run.cancelled": "A person ended it.",
    "phase.entered": "The phase people know the step by begins.",
    "phase.left": "It is over.",
    "step.started": "An agent is about to be started, or a check to be made. `definition`: where the role's definition comes from, and its digest.",
    "step.finished": "The step has an outcome. `commit` and `base` where code was changed; `failure` where the workflow decides what follows from one.",
    "step.interrupted": "Found started and not finished when the run was opened; it runs again.",
    "step.reused": "Remembered and still valid, so not run again.",
    "step.stale": "What the step stood on has changed; it runs again.",
    "step.merged": "Work of one task was merged with what was made beside it; `commit`, `base` and `outputs` are as merged.",
    "step.conflicted": "It could not be merged: none of it goes into the project, and the task has failed. `paths` are the files that clash.",
    "artifact.verified": "The file is there, readable, filled and shaped as promised.",
    "artifact.rejected": "It is not; `failure` is `missing`, `empty`, `malformed` or `unreadable`.",
    "contract.violated": "The agent changed what it may not; the change is in quarantine and undone.",
    "retry.scheduled": "The same step once more, and why.",
    "retry.exhausted": "No more tries; `rule` is the limit that bit.",
    "gate.opened": "A person is asked; `subject` is what they decide on, by digest.",
    "gate.decided": "What they said, and the digests of what was on disk then.",
    "gate.stale": "What was decided on has changed; the gate is open again.",
    "gate.void": "The run left the gate by another way; nobody needs to decide it.",
    "document.saved": "A file of the project was written and read back.",
    "document.drifted": "A file is not as the program last knew it.",
    "budget.reached": "A cap of `[budget]` is used up.",
    "verdict.contradicted": "Two statements of one answer disagree; the worse counts.",
}

OWN: Mapping[str, tuple[str, str]] = {
    "roadmap.iteration": ("`item`, `status`, `text`", "An item has ended; `text` is the report of it in Markdown."),
    "ticket.log": ("`event`, `level`, `message`, `iteration`, `task_id`, `parallel_group`", "One line of `log.jsonl`."),
    "ticket.progress": ("`text`, `iteration`", "The progress line, when a number in it changed."),
    "ticket.edited": ("`path`, `changes`", "A person changed `tasks.yaml` while the run rested; it was obeyed."),
    "ticket.warning": ("`text`", "What people should know though nothing stopped."),
    "feature.warning": ("`text`", "What people should know though nothing stopped: a line for each warning."),
    "throttle.changed": ("`from`, `to`, `because`", "Fewer phases at once from the next wave on."),
    "governed.gate_event": ("`event`", "A decision, as the family's schema of gate events has it."),
    "governed.delegation": ("`agent`, `phase`, `payload`", "What an agent was handed, as its schema has it."),
    "governed.report": ("`agent`, `phase`, `kind`, `payload`", "What it sent back; a question of its is told once more by itself."),
    "governed.todo": ("`phase`, `title`, `done`", "The todo of one phase was marked."),
    "governed.failure": (
        "`phase`, `classification`, `action`, `retry_attempt`, `delay_s`, `rule`, `reason`", "A phase failed; what follows, and which number of the policy said so."
    ),
}
"""Events of single workflows: fields and meaning."""

# -- tables


def rows(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') or ' ' for cell in line)} |\n" for line in lines)


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


# -- workflows

ITEMS = 3
"""Items of the roadmap that is drawn and counted."""


@lru_cache
def workflow(name: str) -> Workflow:
    """The workflow as it comes, with a roadmap of a few items."""
    policy = policies.defaults(name)
    if name == "roadmap":
        return Roadmap(policy, ITEMS)
    return entry(name).sample(policy, lambda _: None, lambda path: scaffold_text(name, path))


@lru_cache
def explored(name: str) -> Exploration:
    return explore(workflow(name))


@contextmanager
def explored_once() -> Iterator[None]:
    """What was visited for a drawing need not be visited again for a count; child runs of one name are made alike."""
    known: dict[str, Exploration] = {}

    def once(asked: Workflow) -> Exploration:
        if asked.name in NAMES:
            return explored(asked.name) if asked is workflow(asked.name) else explore(asked)
        return known[asked.name] if asked.name in known else known.setdefault(asked.name, explore(asked))

    with mock.patch.object(check, "explore", once), mock.patch.object(diagrams, "explore", once):
        yield


def stages() -> tuple[StageSpec, ...]:
    return parse_stages(scaffold_text("harness", "stages.toml"), "harness/stages.toml")


def diagram(name: str) -> str:
    return f"```mermaid\n{mermaid(workflow(name), explored(name))}```\n"


@lru_cache
def checked(name: str) -> tuple[dict[str, Any], list[Violation]]:
    """What `podium check` finds about the workflow as it comes."""
    return check.report(name, workflow(name), check.limits(name, policies.defaults(name)))


def numbers(name: str) -> str:
    told, broken = checked(name)
    worst = told["worst_case"]
    people = "until a person sends something back"
    lines = [f"- {told['states']} states and {told['transitions']} transitions, all of them visited; {len(broken)} violations."]
    lines += [
        f"- One item: at most {each['worst_case']['stage_runs']} stage runs {people}, and at most "
        f"{each['worst_case']['dispatches']} dispatches if each of them uses up every repair and retry it has."
        for each in told["children"]
    ]
    if not told["children"]:
        lines.append(
            f"- At most {worst['stage_runs']} stage runs {people}, and at most {worst['dispatches']} dispatches "
            "if each of them uses up every repair and retry it has."
        )
    claims = [*told["invariants"], *(claim for each in told["children"] for claim in each["invariants"])]
    return "\n".join([*lines, *_claims(claims)]) + "\n"


def _claims(claims: Sequence[str]) -> list[str]:
    """One line a claim; those that differ only in the step they name stand together."""
    head = "no run is complete without "
    alike = [each.removeprefix(head) for each in claims if each.startswith(head)]
    together = [f"- Holds: {head}{', '.join(code(each) for each in alike)}."] if alike else []
    return [*together, *(f"- Holds: {each}." for each in claims if not each.startswith(head))]


def drawings() -> dict[str, str]:
    """The workflows that are too large for a page to lay out."""
    return {f"docs/images/{name}-graph.svg": family(graph(workflow(name), explored(name))) for name in ("roadmap", "feature", "ticket", "governed")}


def proof_states() -> str:
    """What `podium check` finds about all workflows."""
    body, whole = [], [0, 0]
    for name in NAMES:
        told, broken = checked(name)
        whole = [whole[0] + told["states"], whole[1] + told["transitions"]]
        claims = [claim for each in (told, *told["children"]) for claim in each["invariants"]]
        named = [each.name for each in broken]
        counts = (len(claims) + len(told["claims"]), len(broken), named.count("skipped stage"), named.count("bypassed gate"))
        body.append((code(name), f"{told['states']:,}", f"{told['transitions']:,}", *map(str, counts)))
    body.append(("together", f"{whole[0]:,}", f"{whole[1]:,}", "", "", "", ""))
    return rows(("Workflow", "States", "Transitions", "Claims", "Violations", "Skipped stages", "Bypassed gates"), body)


def proof_hostile() -> str:
    """The kept figures of a million steps."""
    told = json.loads((ROOT / "docs/proof.json").read_text(encoding="utf-8"))
    keys = ("steps", "runs", "complete", "wrong", "refused", "skipped", "bypassed")
    named = [*((code(name), each) for name, each in told["workflows"].items()), ("together", told)]
    head = ("Workflow", "Steps", "Runs", "Complete", "Wrong answers", "Refused", "Skipped stages", "Bypassed gates")
    return rows(head, [(name, *(f"{each[key]:,}" for key in keys)) for name, each in named])


def mutations() -> str:
    """The kept results of the broken rules, by the package that each stands in."""
    told = json.loads((ROOT / "docs/mutations.json").read_text(encoding="utf-8"))["breaks"]
    results = [("/".join(each["file"].split("/")[: 2 if each["file"].startswith("workflows/") else 1]), each["result"]) for each in told]
    named = [(code(name), [result for where, result in results if where == name]) for name in sorted({where for where, _ in results})]
    body = [(name, str(len(each)), str(each.count("caught"))) for name, each in (*named, ("together", [result for _, result in results]))]
    return rows(("Package", "Breaks", "Caught"), body)


def printed(*words: str, files: Mapping[str, str] | None = None) -> str:
    """What a command prints in an empty project, as a block of a page."""
    return f"```text\n{said_by(*words, files=files)}```\n"


def said_by(*words: str, files: Mapping[str, str] | None = None) -> str:
    with quiet_place() as folder, redirect_stdout(StringIO()) as out:
        folder.mkdir()
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        with chdir(folder):
            command([*words, "--quiet", "--no-color"])
    return out.getvalue()


def check_flow() -> str:
    """The page's own workflow, checked."""
    page = (ROOT / "docs/how-to/check.md").read_text(encoding="utf-8")
    return printed("check", "flow.py", files={"flow.py": page.partition("```python\n")[2].partition("```")[0]})


def simulate_compare() -> str:
    """The table of two policies; the bars stay in the terminal."""
    told = said_by("simulate", "harness", "-n", "5000", "--against-set", "max_remediations=0")
    return f"```text\n{told.partition(chr(10) * 2 + 'Duration')[0]}\n```\n"


@lru_cache
def simulation() -> tuple[str, str]:
    """What it prints, and what it draws."""
    with tempfile.TemporaryDirectory() as place:
        told = said_by("simulate", "harness", "-n", "10000", "--svg", f"{place}/plots.svg")
        return f"```text\n{told}```\n", Path(f"{place}/plots.svg").read_text(encoding="utf-8")


def simulated() -> dict[str, str]:
    return {"docs/images/simulate-harness.svg": simulation()[1]}


@lru_cache
def fleet_day(*words: str) -> str:
    return said_by("simulate", "harness", "--fleet", *words)


def fleet_block(until: str, *words: str) -> str:
    """A day of a fleet, as far as that heading."""
    return f"```text\n$ podium {' '.join(('simulate', 'harness', '--fleet', *words))}\n{fleet_day(*words).partition(until)[0].rstrip()}\n```\n"


def fleet_costs() -> str:
    """What a simulated fleet is told of its parts."""
    texts = field_texts("podium.simulation.fleet.plan", "Costs")
    return rows(("Name", "Unless told", "What it is"), [(code(name), f"{value:g}", texts[name]) for name, value in vars(Costs()).items()])


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
    body = [(code(name), "needed" if name in needed else shown(names[name]), texts[name]) for name in names]
    return rows(("Key", "Default", "Meaning"), body)


def policy_table(name: str) -> str:
    known = policies.known(name)
    own = governed_rows() if name == "governed" else []
    return rows(
        ("Key", "Default", "Meaning"),
        [*own, *((code(name), code(shown(key.default)), POLICY[name]) for name, key in known.items())],
    )


def governed_rows() -> list[tuple[str, str, str]]:
    """One line a key; those of every tier or profile stand together."""
    found: dict[str, dict[str, Any]] = {}
    for name, key in KEYS.items():
        parts = name.split(".")
        many = parts[0] in {"review_pipeline_by_tier", "max_iterations_by_tier", "resource_profiles"}
        joined = ".".join([parts[0], "*", *parts[2:]]) if many else name
        found.setdefault(joined, {})[parts[1] if many else ""] = key.default
    assert set(found) == set(GOVERNED), set(found) ^ set(GOVERNED)
    return [(code(name), _defaults(values), GOVERNED[name]) for name, values in found.items()]


def _defaults(values: Mapping[str, Any]) -> str:
    spelled = {name: ", ".join(value) if isinstance(value, list) else shown(value) for name, value in values.items()}
    if len(set(spelled.values())) == 1:
        return code(next(iter(spelled.values())))
    return ", ".join(f"{name} {code(value) or 'none'}" for name, value in spelled.items())


def known_agents() -> str:
    body = [
        (
            code(name),
            each.title,
            ", ".join(each.versions),
            "headless" + (f", acp ({code(each.acp.program)})" if each.acp else ""),
            " ".join(map(code, each.keys)),
            each.note,
        )
        for name, each in PROFILES.items()
    ]
    return rows(("Name", "", "Tried with", "Transports", "Variables it gets if they are set", "Note"), body)


def agent_abilities() -> str:
    body = [
        (
            each.title,
            "tool" if each.takes_tools else "file, last line",
            "no" if each.stream == "text" else "yes" if each.tells_tokens else "tools",
            "yes" if each.resumes else "no",
            " ".join(map(code, each.ambient)) + (f" (always {' '.join(map(code, each.always))})" if each.always else ""),
            " ".join(code(f"~/{path}") for path in each.login),
        )
        for each in PROFILES.values()
    ]
    head = ("", "Reports by", "Tells its tools and tokens", "Sessions go on", "Reads, where `ambient`", "Login that is lent")
    return rows(head, body)


# -- reference pages


def settings_page() -> str:
    parts = [
        NOTE,
        "# Settings\n",
        ("Settings are in `podium.toml` at the root of the project, or under `[tool.podium]` in `pyproject.toml`. "
        "Your own, for all projects, are in `podium/podium.toml` in your configuration folder (`~/.config`, or "
        "`$XDG_CONFIG_HOME`; on macOS `~/Library/Application Support`).\n"),
        ("Precedence: command line, then environment, then project, then user, then built in. An unknown key is an "
        "error that names the nearest known one.\n"),
        ("In the environment two underscores part the names: `PODIUM_AGENT=claude`, "
        "`PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS=1`, `PODIUM_BUDGET__DISPATCHES=20`.\n"),
        "## Top level\n",
        rows(("Key", "Default", "Meaning"), [row("Settings", "agent")]),
    ]
    tables = "AgentSettings RoleSettings Commands Budget Price Gateway Isolation Store Fleet Ui Notify Mcp Telemetry Issues"
    for name in tables.split():
        kind = getattr(values, name)
        said = (kind.__doc__ or "").strip()
        title, _, rest = said.partition(": ")
        body = [row(name, each) for each in kind.__dataclass_fields__]
        parts += [f"## {title}\n", f"{rest[:1].upper()}{rest[1:]}\n", rows(("Key", "Default", "Meaning"), body)]
    parts += [
        "## `[policy.<workflow>]`\n",
        "The numbers of a workflow. `--set KEY=VALUE` and `--policy FILE` win over these for one run.\n",
    ]
    more = {
        "harness": "A stage of your own with `approval_before = true` has a key `require_approval_before_<stage>` too.\n",
        "governed": "Over what `governance/runtime-policy.json` says. Dotted names, as in `retry_budgets.fixable_max = 2`.\n",
    }
    for name in NAMES:
        parts += [f"### `[policy.{name}]`\n", *([more[name]] if name in more else ()), policy_table(name)]
    return "\n".join(parts)


def row(table_name: str, name: str) -> tuple[str, str, str]:
    default = getattr(values, table_name).__dataclass_fields__[name].default
    text = field_texts("podium.settings.values", table_name)[name]
    return code(name), code(shown(default)), text


def shown(default: object) -> str:
    if default in ("", (), None, MISSING):
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


def field_texts(module: str, kind: str) -> dict[str, str]:
    """The string under each field of a dataclass, on one line."""
    source = Path(import_module(module).__file__ or "").read_text(encoding="utf-8")
    tree = next(each for each in ast.parse(source).body if isinstance(each, ast.ClassDef) and each.name == kind)
    found: dict[str, str] = {}
    for before, after in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name):
            said = after.value if isinstance(after, ast.Expr) else None
            text = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else ""
            found[before.target.id] = " ".join(text.split())
    return found


def commands_page() -> str:
    parts = [
        NOTE,
        "# Commands\n",
        ("`podium` alone lists them, `podium help COMMAND` tells more. A RUN is an id, the beginning of one, or `@` "
        "for the latest. Exit codes are in the [README](../../README.md#exit-codes).\n"),
        "## Everywhere\n",
        options(parser_of("status"), {"everywhere"}),
    ]
    for group, names in table.GROUPS.items():
        parts.append(f"## {group}\n")
        for name, line in names.items():
            parser = parser_of(name)
            usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
            usage = re.sub(r"\[(-h|--project DIR|--json|--quiet|--no-color)\] ?", "", usage).strip()
            own = options(parser, {group.title or "" for group in parser._action_groups} - {"everywhere"})  # noqa: SLF001
            parts += [f"### `podium {name}`\n", f"{line[:1].upper()}{line[1:]}.\n", f"```text\n{usage}\n```\n"]
            parts += [own] if own else []
    return "\n".join(parts)


def parser_of(name: str) -> Parser:
    parser = Parser(name, table.COMMANDS[name])
    with mock.patch.dict(os.environ, {"COLUMNS": "400"}):
        import_module(table.module(name)).configure(parser)
    return parser


def options(parser: Parser, titles: set[str]) -> str:
    body = []
    for group in parser._action_groups:  # noqa: SLF001 - argparse has no other list of its arguments
        for each in group._group_actions if group.title in titles else ():  # noqa: SLF001
            if "--help" in each.option_strings:
                continue
            value = each.metavar if isinstance(each.metavar, str) else "|".join(map(str, each.choices or ()))
            spelled = ", ".join(f"{name} {value}".strip() for name in each.option_strings) or value
            body.append((code(spelled), each.help or ""))
    return rows(("Argument", "Meaning"), body) if body else ""


def event_table() -> str:
    """Every type and its fields, read from the functions that make events."""
    tree = ast.parse(Path(events.__file__).read_text(encoding="utf-8"))
    body = []
    for function in (each for each in tree.body if isinstance(each, ast.FunctionDef)):
        texts = [each.value for each in ast.walk(function) if isinstance(each, ast.Constant)]
        kinds = [each for each in texts if isinstance(each, str) and re.fullmatch(r"[a-z]+\.[a-z]+", each)]
        fields = dict.fromkeys(name for name in _keys(function) if name != "type")
        body += [(code(kind), ", ".join(map(code, fields)), MEANING[kind]) for kind in kinds]
    body += [(code(kind), fields_of, meaning) for kind, (fields_of, meaning) in OWN.items()]
    return rows(("Type", "Fields beside the common ones", "Meaning"), body)


def _keys(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        made = node.keys if isinstance(node, ast.Dict) else ()
        added = (node.slice,) if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) else ()
        for each in (*made, *added):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield each.value


# -- rules

RULES_PAGE = """\
What Podium holds agents to has names, so that prose about it can be led to the code that holds it (`podium import`,
[Import](../import.md)). Each rule names the test that fails where it is broken. A number with a policy can be set; the
one here is the number as it comes.
"""
IMPORTED = """\
Made from a prose orchestrator of the family that the workflow `{name}` comes from. The document itself is not kept here:
line numbers and first words lead to the places for whoever has it. [How to read this](../import.md).
"""


def rules_page() -> str:
    parts = [NOTE, "# Rules\n", RULES_PAGE]
    for title, known in (("engine", rules("")), *((name, rules(name)) for name in CATALOGUES)):
        own = [each for each in known if each.id.startswith(f"{title}.")]
        body = [(code(each.id), each.says, _number(each), code(each.test.partition("::")[2].removeprefix("test_"))) for each in own]
        parts += [f"## {title}\n", rows(("Rule", "Says", "Number", "Shown by the test"), body)]
    return "\n".join(parts)


def _number(rule: Rule) -> str:
    shown_number = f"{rule.number:g}" if rule.number is not None else ""
    return ", ".join(part for part in (shown_number, code(rule.policy)) if part)


def import_page(name: str) -> str:
    found = from_data(json.loads((ROOT / "tests" / "fixtures" / "import" / f"{name}.json").read_text(encoding="utf-8"))["rules"])
    made = report(name, found, [(name, rules(name))], (IMPORTED.format(name=name).strip(),))
    return NOTE + "\n" + markdown(made, f"Import report: {name}")


# -- pictures

INK: Mapping[Tone, str] = {
    "plain": "#d7dde5", "dim": "#7d8896", "strong": "#ffffff", "good": "#6fce8f",
    "bad": "#f0766e", "busy": "#67c7d9", "ask": "#e9c46a", "link": "#67c7d9",
}  # fmt: skip
CELL, LEADING, EDGE = 8.4, 19, 18
Told = tuple[str, tuple[Any, ...]]


class Watcher:
    """Remembers what the live view would have been told."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def event(self, event: Mapping[str, Any]) -> None:
        self.told.append(("event", (dict(event),)))

    def activity(self, key: str, kind: str, fields: Mapping[str, Any]) -> None:
        self.told.append(("activity", (key, kind, dict(fields))))


def pictures() -> dict[str, str]:
    """The demos as the terminal shows them."""
    moments = {
        "roadmap": ("step.started", "item/US-3/implement/2", 2),
        "feature": ("step.finished", "wave/1/01-rows", 1),
        "ticket": ("step.finished", "iteration/0/task/TASK-1/2", 1),
        "governed": ("step.started", "wave/1/phase/2/execute/2", 2),
    }
    found = of_harness()
    for name, (kind, key, more) in moments.items():
        found |= of_teams(name, (kind, key), more)
    return found


MOMENT = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)


def played(folder: Path) -> tuple[App, Watcher]:
    """A project's facade whose clock stands still and whose ids are always the same."""
    watcher = Watcher()
    parts = Parts({**os.environ}, clock=lambda: MOMENT, token=lambda: "k3f9", cwd=folder)
    return App(folder, watcher, parts), watcher


def of_teams(name: str, until: tuple[str, str], more: int) -> dict[str, str]:
    """A demo with many agents, up to an event (type, key) and so many of what is told from there."""
    with quiet_place() as folder:
        story = demo_project.make(folder, name, 0.0)
        demo_project.leave(folder, story)
        app, watcher = played(folder)
        options = RunOptions(agent=f"scripted:{demo_project.SCENARIO}", approve_all=True, policy=story.policy, by="Ada")
        run = app.start(name, story.inputs, options).run
        for choice in story.answers:
            app.answer(run, gate="", choice=choice, text="", note="", by="Ada")
            app.resume(run, RunOptions(approve_all=True, by="Ada"))
        steps, title = app.workflow(run).steps.values(), app.summary(run).title
    # An agent's last words come with its end; while it works, its files tell more.
    working = [each for each in watcher.told if each[0] == "event" or each[1][1] == "write"]
    told = paced(in_turn(braided(working)), MOMENT)
    last = next(at for at, each in enumerate(told) if said(each) == until)
    return {f"docs/images/{name}.svg": drawn(title, steps, told[: last + more])}


def braided(told: Sequence[Told]) -> list[Told]:
    """What child runs beside each other tell, one line of each in turn: their own order is always the same."""
    found: list[Told] = []
    strands: dict[str, list[Told]] = {}
    for each in (*told, ("", ({},))):
        if child := _child(each, strands):
            strands.setdefault(child, []).append(each)
            continue
        for turn in zip_longest(*(strands[name] for name in sorted(strands))):
            found += [line for line in turn if line is not None]
        strands = {}
        found += [each] if each[0] else []
    return found


def _child(each: Told, strands: Mapping[str, Any]) -> str:
    if each[0] == "event":
        return str(each[1][0].get("run", "")).partition("/")[2]
    return next((name for name in strands if str(each[1][0]).startswith(f"{name}/")), "") if each[0] else ""


def in_turn(told: Sequence[Told]) -> list[Told]:
    """What agents beside each other tell, in one order whatever the machine did: all begin, then all work, then all end."""
    found: list[Told] = []
    waiting: list[Told] = []
    for each in told:
        kind, key = said(each)
        beside = re.fullmatch(r"((research|ct/\d|v/\d|r/\d|(fix/\d/)?wave/\d)/[^/]+|iteration/\d/(plan|task)/.+)", key or (each[1][0] if each[0] == "activity" else ""))
        if beside:
            waiting.append(each)
            continue
        if kind.startswith(("run.advanced", "phase")) and waiting:
            found += sorted(waiting, key=_turn)
            waiting = []
        found.append(each)
    return [*found, *sorted(waiting, key=_turn)]


def _turn(each: Told) -> tuple[int, str]:
    kind, key = said(each)
    rank = {"step.started": 0, "": 1}.get(kind, 3 if kind == "step.finished" else 2)
    return rank, key or str(each[1][0])


def of_harness() -> dict[str, str]:
    """The demo at its gate, and the demo while Build mends what QA found."""
    with quiet_place() as folder:
        inputs = demo_project.make(folder, "harness", 0.0).inputs
        app, watcher = played(folder)
        moment = MOMENT
        options = RunOptions(agent=f"scripted:{demo_project.SCENARIO}", by="Ada")
        waits = app.start("harness", inputs, options)
        at_gate = len(watcher.told)
        app.approve(waits.run, gate="", note="", by="Ada")
        app.resume(waits.run, RunOptions(by="Ada"))
        steps, title = app.workflow(waits.run).steps.values(), app.summary(waits.run).title
    told = paced(watcher.told, moment)
    second = next(at for at, each in enumerate(told) if said(each) == ("step.started", "build/2"))
    found = {"gate": told[:at_gate], "live": told[: second + 2]}
    return {f"docs/images/{name}.svg": drawn(title, steps, upto) for name, upto in found.items()}


@contextmanager
def quiet_place() -> Iterator[Path]:
    """A folder for a run that sees nothing of the person who runs it."""
    with tempfile.TemporaryDirectory() as place:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "GIT_"))}
        own = {"HOME": place, "XDG_STATE_HOME": place, "XDG_CONFIG_HOME": place, "GIT_CONFIG_GLOBAL": os.devnull}
        with mock.patch.dict(os.environ, {**kept, **own}, clear=True):
            yield Path(place) / "project"


def said(each: Told) -> tuple[str, str]:
    return (str(each[1][0].get("type")), str(each[1][0].get("key", ""))) if each[0] == "event" else ("", "")


def paced(told: Sequence[Told], moment: datetime) -> list[Told]:
    """The events at the pace of the demo instead of the machine's: an agent takes as long as the demo lets it."""
    found: list[Told] = []
    for kind, fields in told:
        if kind == "event":
            event = fields[0]
            finished = event["type"] == "step.finished"
            # Files are saved when there is time for it: how often is the machine's business, too.
            moment += timedelta(seconds=0.4 if finished else 0.0 if event["type"].startswith("document.") else 0.002)
            usage = {"usage": {**event["usage"], "seconds": 0.4}} if finished else {}
            event = {**event, **usage, **named(event), "ts": moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"}
            found.append((kind, (event,)))
        else:
            found.append((kind, fields))
    return found


def named(event: Mapping[str, Any]) -> dict[str, Any]:
    """Commits by the name of their step: real ones hold the time at which the demo's project was made."""
    made = [each for each in event.get("evidence") or () if each.get("commit")]
    key = str(event.get("key", ""))
    return {"evidence": [{**each, "commit": sha1(key.encode()).hexdigest()} for each in made]} if made else {}


def drawn(title: str, steps: Any, told: Sequence[Told]) -> str:
    board = Board(steps, title)
    for kind, fields in told:
        (board.absorb if kind == "event" else board.activity)(*fields)
    last = [fields[0] for kind, fields in told if kind == "event"][-1]
    now = datetime.fromisoformat(last["ts"]).timestamp() + 0.25
    running = board.status in {"", "active"}
    lines = frame(board, Look(width=84, now=now if running else None, moving=running))
    return svg(title, [line for line in lines if "podium answer" not in "".join(text for text, _ in line)])


def svg(title: str, lines: Sequence[Line]) -> str:
    """Every line with its width fixed, so that columns stand whatever the reader's font is."""
    across = max((sum(len(text) for text, _ in line) for line in lines), default=0)
    wide, high = round(across * CELL + 2 * EDGE), len(lines) * LEADING + 2 * EDGE
    body = []
    for number, line in enumerate(lines):
        at, y = 0, EDGE + LEADING * number + 14
        for text, tone in line:
            if text.strip():
                lead = len(text) - len(text.lstrip())
                shown_text = text.strip()
                weight = ' font-weight="bold"' if tone in {"strong", "bad", "ask"} else ""
                body.append(
                    f'<text x="{EDGE + (at + lead) * CELL:.1f}" y="{y}" fill="{INK[tone]}"{weight} '
                    f'textLength="{len(shown_text) * CELL:.1f}" lengthAdjust="spacingAndGlyphs">{escape(shown_text)}</text>'
                )
            at += len(text)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" role="img">\n'
        f"<title>{escape(title)}, as the terminal shows it</title>\n"
        f'<rect width="{wide}" height="{high}" rx="8" fill="#12171e"/>\n'
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="14" '
        'xml:space="preserve">\n' + "\n".join(body) + "\n</g>\n</svg>\n"
    )


# -- writing

PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/settings.md": settings_page,
    "docs/reference/commands.md": commands_page,
    "docs/reference/rules.md": rules_page,
    **{f"docs/import/{name}.md": partial(import_page, name) for name in CATALOGUES},
}
BLOCKS: Mapping[str, Callable[[], str]] = {
    "diagram": partial(diagram, "harness"),
    "stages": stage_table,
    "stage-fields": stage_fields,
    **{f"numbers-{name}": partial(numbers, name) for name in NAMES},
    **{f"policy-{name}": partial(policy_table, name) for name in NAMES},
    "check-flow": check_flow,
    "simulate-harness": lambda: simulation()[0],
    "simulate-compare": simulate_compare,
    "fleet-costs": fleet_costs,
    "fleet-day": partial(fleet_block, "Under way,"),
    "fleet-mended": partial(fleet_block, "In line (", "--concurrency", "11", "--cost", "beat_s=120"),
    "proof-states": proof_states,
    "proof-hostile": proof_hostile,
    "mutations": mutations,
    "known-agents": known_agents,
    "agent-abilities": agent_abilities,
    "events": event_table,
}


def wanted(root: Path) -> dict[str, str]:
    """Every file that holds something generated, with the text it should have."""
    with explored_once():
        return _wanted(root)


def _wanted(root: Path) -> dict[str, str]:
    found = {path: make() for path, make in PAGES.items()} | pictures() | drawings() | simulated()
    for page in sorted([root / "README.md", *(root / "docs").rglob("*.md")]):
        path = page.relative_to(root).as_posix()
        text = page.read_text(encoding="utf-8")
        if path not in PAGES and MARK.search(text):
            found[path] = MARK.sub(lambda hit: hit[1] + BLOCKS[hit["name"]]() + hit[4], text)
    return found


def stale(root: Path) -> dict[str, str]:
    def there(path: str) -> str | None:
        return (root / path).read_text(encoding="utf-8") if (root / path).is_file() else None

    return {path: text for path, text in wanted(root).items() if there(path) != text}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything is out of date")
    check = parser.parse_args(argv).check
    gc.disable()  # states and runs by the hundred thousand, and the end is near
    found = stale(ROOT)
    for path, text in found.items():
        print(f"{path} is out of date: python scripts/docs.py" if check else f"written {path}")
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, encoding="utf-8")
    print(f"docs: {len(found)} out of date" if check and found else "docs: good")
    return int(bool(found and check))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
