"""The rules of `harness` by name, each with the test that shows it."""

from __future__ import annotations

from podium.core.rules import Rule

_STOPS = "tests/acceptance/test_stop_conditions.py::test_"
_LOOP = "tests/acceptance/test_qa_loop.py::test_"
_STATE = "tests/workflows/test_harness_files.py::test_"
_GATES = "tests/acceptance/test_gates.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "harness.stages",
        (
            "Specification, Design, Implementation Planning, Build, QA, Awaiting Approval and "
            "Complete come in this order, and none is skipped."
        ),
        (
            "tests/workflows/test_harness_proofs.py::"
            "test_standing_at_a_stage_without_the_ones_before_it_breaks_the_order"
        ),
        (
            "stage sequence|canonical",
            "lifecycle stage|rule|progress|permit|valid|skip",
            "next stage transition|valid|continue|advance",
            "stage advance state|artifact",
            "stage current valid|invalid|ambiguous|determin|identif",
            "stage advance",
            "stage completed append|record",
        ),
    ),
    Rule(
        "harness.agents",
        "Each stage has its own role, and no role does the work of another.",
        (
            "tests/workflows/test_harness_stages.py::"
            "test_the_shipped_list_is_the_five_stages_of_the_specification"
        ),
        (
            "stage agent map|substitut|responsib|another",
            "specification design po-spec|feature-design",
            "mapped stage agent",
        ),
    ),
    Rule(
        "harness.initialization",
        (
            "The run-state and the run report are made from the task and the templates, written, "
            "and read back before any stage runs; otherwise the run halts with the agreed words."
        ),
        f"{_STOPS}a_report_that_cannot_be_written_at_the_start_halts_before_any_dispatch",
        (
            "initializ run-state|report|artifact|verif|incomplete|infrastructure|complete",
            "checkpoint verif",
            "run-state|report exist missing|invok|before|answer|verif",
            "specification invok|before stage",
            "invok stage agent proceed|not|any",
            "both file|artifact verif|re-open|proceed",
            "task metadata|file selected|malformed|missing|required|valid",
            "task identify request|run-state",
            "initializ perform|itself",
            "initial status|stage|notes",
        ),
    ),
    Rule(
        "harness.run-state",
        (
            "run-state.md always shows the current task, stage, status, run id, completed stages, "
            "artifacts, approvals, stop reason and notes."
        ),
        f"{_STATE}run_state_says_where_the_task_stands",
        (
            "run-state updat|accurate|reflect|advanc|keep|halt|read|determin|append",
            "notes field|reflect|latest|refresh|record",
            "run-state field",
            "stage|status|task|stop|approval|artifact fields|field accurate",
            "current status|stage|run blocked|build|qa|set|id",
        ),
    ),
    Rule(
        "harness.run-report",
        (
            "The program writes the run report: every stage, outcome, artifact, piece of evidence "
            "and stop."
        ),
        (
            "tests/workflows/test_harness_run_report.py::"
            "test_the_first_version_is_the_template_filled_in"
        ),
        (
            "run report updat|initializ|creat|record|template|must|history",
            "report exact artifact|path|classif",
            "report stage|stop reason|outcome|evidence",
        ),
    ),
    Rule(
        "harness.contracts",
        (
            "A stage may read exactly what its contract lists; if something is missing, the stage "
            "stops and does not search for it."
        ),
        (
            "tests/workflows/test_harness_contracts.py::"
            "test_a_stage_may_read_exactly_what_the_specification_says"
        ),
        (
            "stage input contract|set|broad|within|bound|declared",
            "contract load|stay|proceed|corresponding stage|within",
            "required input missing|escalat|broaden",
            "prompt exploration|broad|bounded",
        ),
    ),
    Rule(
        "harness.verification",
        (
            "An artifact must exist, be readable, filled in and well structured before its stage "
            "counts as done; missing, empty, malformed and unreadable are told apart."
        ),
        f"{_STOPS}5_an_artifact_cannot_be_verified",
        (
            "artifact|file exist|expected path",
            (
                "artifact verif|valid|re-open|produced|missing|creat "
                "stage|fail|expected|confirm|creat|write"
            ),
            "readable|non-empty|structur artifact|file|expect|minimum",
            "missing empty malformed unreadable",
            "verif fail halt|proceed|still|attempt|re-verif",
            "count complet stating|describ|assum|summariz|narration|planned|verified",
            "perform write",
            "checks fail proceed|not",
            "verified filesystem artifact",
            "verify existence|artifact missing|inspect|intent|assume",
        ),
    ),
    Rule(
        "harness.repair",
        (
            "A stage whose artifact fails is asked once more and told the exact fault; after that "
            "the run halts."
        ),
        f"{_LOOP}a_missing_value_is_malformed_and_repaired_once",
        ("repair once", "still failing halt"),
        number=1,
        policy="repair_attempts",
    ),
    Rule(
        "harness.qa-outcome",
        (
            "Issues Found, a return to Build, a blocking issue and a failed criterion each keep "
            "the task from approval."
        ),
        f"{_LOOP}each_of_the_four_signs_of_failure_alone_sends_the_task_back",
        (
            "qa artifact|outcome|indicat inspect|advanc|before|any",
            "issues|blocking|criteria approval|satisf|prevent|found|failed",
            "acceptance criteria advance|satisf",
            "qa result|return build|reason|blocking",
        ),
    ),
    Rule(
        "harness.remediation",
        (
            "QA may send the task back to Build twice; the third failure blocks the run at QA "
            "with the agreed words."
        ),
        f"{_LOOP}qa_runs_at_most_three_times_and_then_the_run_is_blocked_at_qa",
        (
            "qa remediat loop|retry|limit|build|again|return",
            "remediat limit|retry",
            "build again remediat|qa",
            "qa build returns|remediat|loop",
            "blocked qa remediat|stop",
        ),
        number=2,
        policy="max_remediations",
    ),
    Rule(
        "harness.approvals",
        (
            "Where the flags say so, a person must approve before Build and before Complete; the "
            "next stage and its run id are already set then."
        ),
        f"{_GATES}the_run_stops_before_build_with_the_next_stage_and_its_run_id_set",
        (
            (
                "approval gate|required|settings|flag "
                "stop|reach|obey|before|configur|record|wait|require|conflict"
            ),
            "approval before build|complete",
            "awaiting approval",
            "stop wait human",
            "halt human review",
            "approval mode",
            "approval requirement",
            "approval human update|field|explicit",
            "stage|next run awaiting",
        ),
    ),
    Rule(
        "harness.complete",
        "A task that is complete or waits for approval is not run again.",
        f"{_STOPS}9_the_task_is_complete_already",
        ("task already complete", "active stage already"),
    ),
    Rule(
        "harness.dispatch",
        (
            "If a stage's agent cannot be started, the run is blocked at that stage, with the "
            "reason in both documents."
        ),
        f"{_STOPS}3_an_agent_is_not_dispatchable",
        (
            "dispatch cannot|fail|runtime stage|agent|subagent|stop|capability",
            "stage fail|fails block|blocked|record|stop",
            "stage agent fail|fails",
            "stage current unchanged|keep",
        ),
    ),
    Rule(
        "harness.protected",
        (
            "Standards, templates, roles, tasks and state belong to the program and to people; no "
            "stage may change them."
        ),
        (
            "tests/workflows/test_harness_contracts.py::"
            "test_rules_roles_and_state_are_protected_from_every_stage"
        ),
        (
            "standards|templates|roles modif|harness|unless|explicit",
            "build governance|workflow-state",
            "modify agents",
            "production|application code direct",
            "generate stage artifact direct|normal",
        ),
    ),
    Rule(
        "harness.unclear",
        (
            "A task that cannot be read, or that an agent calls unclear, stops the run; the "
            "question or every fault is named."
        ),
        f"{_STOPS}6_the_task_is_unclear",
        (
            "task unclear",
            "task file missing|malformed",
            "metadata missing task",
            "next stage ambiguous",
            "artifact path missing|inconsistent",
        ),
    ),
)
