"""Rules that hold in every workflow, because the engine keeps them."""

from __future__ import annotations

from podium.core.rules import Rule

_FORGED = "tests/acceptance/test_forged_artifacts.py::test_"
_PROGRESS = "tests/acceptance/test_forged_progress.py::test_"
_RESUME = "tests/acceptance/test_resume.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "engine.artifact",
        (
            "An output counts only if it is on disk, readable, filled in and shaped as promised. "
            "What the agent says about it does not count."
        ),
        f"{_FORGED}an_artifact_that_is_only_claimed_is_missing",
        (
            (
                "artifact|output verif|confirm|valid|produced|expected|missing "
                "exist|path|stage|missing|produced|fail"
            ),
            "artifact|file readable|non-empty|re-open|structur|inspect|intent",
            "narration|claim|assum|stating|summariz|describ complet|success|execut|verif|file",
            "evidence fabricat|specul",
            "artifact verif",
        ),
    ),
    Rule(
        "engine.repair",
        (
            "If an output is missing, empty, malformed or unreadable, the agent is asked once "
            "more and told the exact fault; after that the run is blocked."
        ),
        f"{_FORGED}one_repair_with_the_exact_fault_is_enough_when_the_agent_mends_it",
        ("repair once", "repair attempt|re-verif"),
        number=1,
        policy="repair_attempts",
    ),
    Rule(
        "engine.scope",
        (
            "A change outside the contract is undone and kept for inspection, and the attempt "
            "counts as failed."
        ),
        f"{_PROGRESS}a_file_outside_the_contract_is_quarantined_and_the_project_stays_clean",
        (
            "modif|write file|code outside|scope|listed",
            "scope forbidden",
            "reminder forbidden",
            "deliverable|output specified|section produc|write",
            "forbidden plan|cod|review|implement|design|research review|cod|design|research|git",
            "code|documentation|test direct write|modif|implement|deleg",
            "tool modif code|file",
            "overlap scope",
            "rewrite|chang unrelated",
        ),
    ),
    Rule(
        "engine.protected",
        "Rules, roles, state and settings are restored byte for byte if an agent touches them.",
        f"{_PROGRESS}a_protected_file_of_the_real_project_is_put_back_byte_for_byte",
        ("modif|chang standards|template|roles", "governance|workflow-state file"),
    ),
    Rule(
        "engine.steps",
        (
            "Each agent does one step. The program alone decides which step comes next and what "
            "it gets."
        ),
        "tests/core/test_advance.py::test_an_outcome_leads_where_the_route_says",
        (
            "skip stages|pipeline|lifecycle",
            "combine|multiple step|agents invocation",
            "step own subagent",
            "orchestrat deterministic",
            "coordinat|orchestrat implement|builder|cod|perform stage|work|direct",
            "subagent detect|math|percent|estimat|eta",
            "subagent|runsubagent work|all delegat|dispatch",
            "stages|step complet append|record|advance",
            "responsib another|substitut stage|agent",
            "stage agent map|select|identif",
        ),
    ),
    Rule(
        "engine.verdict",
        (
            "An answer whose verdict is not on the closed list is refused; if two verdicts "
            "disagree, the worse one counts."
        ),
        f"{_FORGED}a_verdict_word_that_the_dialect_does_not_have_is_refused",
        ("status|decision enum", "schema contract bypass", "verdict|status words|closed"),
    ),
    Rule(
        "engine.gate",
        "Only a person's decision passes a gate; no agent can decide one.",
        "tests/acceptance/test_command_line.py::test_an_agent_that_calls_podium_approve_is_refused",
        (
            "approv|gate bypass|skip|skipping|past",
            "approv explicit human|person|user|instruct",
            "approv task complet",
            "gate equivalent skip",
            "gate proceed automatic",
        ),
    ),
    Rule(
        "engine.question",
        (
            "An agent's question reaches a person as a gate with its choices, and the answer "
            "reaches the agent."
        ),
        f"{_RESUME}a_question_opens_a_gate_with_its_choices",
        (
            "ask user|question missing|conflict|unclear|requirement|answer",
            "clarif question|user|ask|context",
            "task unclear",
        ),
    ),
    Rule(
        "engine.failure",
        (
            "An empty answer, a timeout, a crash or a busy service never counts as done: the step "
            "is tried again up to its limit, then the run is blocked."
        ),
        f"{_RESUME}a_rate_limit_without_a_time_is_retried_with_growing_delays_and_then_given_up",
        (
            "empty|timeout|rate-limit respon|retr|fail",
            "dispatch fail|cannot|unavailable stop|halt|block|runtime",
            "stage|agent fail|fails blocked|stop|halt",
            "transient retr delay|error",
        ),
    ),
    Rule(
        "engine.stop-reason",
        (
            "When a run stops, the reason is recorded where people look, and the run can be "
            "resumed from there."
        ),
        (
            "tests/acceptance/test_stop_conditions.py::"
            "test_a_stop_reason_is_taken_back_when_the_run_goes_on"
        ),
        (
            "stop|stopping|halt|blocking reason|record|clean|condition|clearly",
            "escalat explain|evidence",
            "halt run",
        ),
    ),
    Rule(
        "engine.resume",
        (
            "A run continues exactly where it was, from the files on disk; nothing is done twice "
            "and nothing is assumed."
        ),
        "tests/crash/test_every_write.py::test_a_killed_run_goes_on_where_it_was",
        (
            "resum state|point|current-phase|reconcil|phase",
            "counter|current state read|trust|load",
            "resum ambigu",
        ),
    ),
    Rule(
        "engine.journal",
        (
            "Everything that happens is written to an append-only journal whose lines are chained "
            "by hash."
        ),
        "tests/core/test_chain.py::test_no_changed_value_goes_unseen",
        ("log everything", "append event line"),
    ),
    Rule(
        "engine.view",
        "An agent's folder holds the inputs of its contract and nothing else.",
        (
            "tests/acceptance/test_input_contract.py::"
            "test_the_folder_holds_exactly_the_inputs_of_the_contract"
        ),
        (
            "input|context broad|bounded|widen|stateless",
            "input contract",
            "file path explicit subagent",
            "context required|accumulated|full call|pass|includ|dispatch",
            "exploration|repo broad",
        ),
    ),
    Rule(
        "engine.evidence",
        (
            "The program itself runs build and tests after the agent, and their exit codes "
            "override every claim."
        ),
        (
            "tests/acceptance/test_proof_of_build.py::"
            "test_a_claim_of_exit_0_counts_for_nothing_against_the_programs_own_run"
        ),
        (
            "build|test evidence pass|independent|report|verif|missing|check",
            "validation|verification evidence missing|success|without|done",
            "validation ownership",
        ),
    ),
)
