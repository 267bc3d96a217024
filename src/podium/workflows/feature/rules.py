"""The rules of `feature` by name, each with the test that shows it."""

from __future__ import annotations

from podium.core.rules import Rule

_LINE = "tests/acceptance/test_feature_line.py::test_"
_MEMORY = "tests/acceptance/test_feature_memory.py::test_"
_WAVES = "tests/acceptance/test_feature_waves.py::test_"
_PEOPLE = "tests/acceptance/test_feature_people.py::test_"
_REVIEW = "tests/acceptance/test_feature_review.py::test_"
_VERIFY = "tests/acceptance/test_feature_verification.py::test_"
_DESIGN = "tests/acceptance/test_feature_design_review.py::test_"
_FLOW = "tests/workflows/test_feature_workflow.py::test_"
_TOLD = "tests/workflows/test_feature_contracts.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "feature.line",
        (
            "The steps come in order, and none is skipped: research, analysis, specification, "
            "design, design review, plan, waves, verification, review."
        ),
        f"{_FLOW}each_step_of_the_line_that_is_left_out_is_found",
        (
            "skip pipeline|step",
            "invoke subagent spec|designer|planner|researcher|v-build|aggregator",
            "step subagent own|invoked|each",
            "combine step|agents|multiple",
            "step research|design|plan|implement|v-build|setup",
            "proceed step|verification diagnosis",
        ),
    ),
    Rule(
        "feature.documents",
        "Every document of a feature has a fixed place, and each agent writes only its own.",
        f"{_LINE}a_feature_goes_through_every_step_and_leaves_every_document_where_it_belongs",
        (
            "docs feature|research output|creat|initial|request|lifecycle",
            "review|aggregated output|cluster",
            "initial-request creat|input|provid|subagent|request",
            "file output scope|listed|deliverable|outside|boundar",
        ),
    ),
    Rule(
        "feature.verdict-line",
        (
            "Every agent says DONE, NEEDS_REVISION or ERROR in one line or object; after any "
            "other answer it is asked once more, and then it counts as ERROR."
        ),
        f"{_LINE}anything_else_is_asked_for_once_more_and_then_an_error",
        (
            "done error require|wait|needs-revision|return|subagent|handle",
            "wait done|error",
            "done needs-revision error|return",
        ),
    ),
    Rule(
        "feature.no-revision",
        (
            "An agent that may only say DONE or ERROR cannot ask for a revision: its "
            "NEEDS_REVISION counts as ERROR."
        ),
        f"{_LINE}an_agent_that_may_not_ask_for_a_revision_fails_when_it_does",
        (
            "needs-revision treat error",
            "done error only|agents return|n-a",
            "needs-revision retry route|agent",
        ),
    ),
    Rule(
        "feature.retry",
        "An agent that fails, in whatever way, is asked once more; then its step has failed.",
        f"{_LINE}one_retry_is_one_in_whatever_ways_an_agent_fails",
        (
            "retry once error|fail|invocation|each|persistent|halt",
            "error retry",
            "transient|deterministic|persistent error|fail|retry",
            "retry budget|attempts",
        ),
        number=1,
    ),
    Rule(
        "feature.halt",
        "If an agent that works alone fails twice, the run halts.",
        f"{_LINE}an_agent_that_works_alone_and_fails_twice_halts_the_run",
        (
            "persistent halt|pipeline",
            "halt pipeline|aggregator",
            "retry once halt persistent spec|designer|planner|synthesis",
        ),
    ),
    Rule(
        "feature.quorum",
        (
            "Research and design review continue with two of four results and halt with fewer; "
            "the agents that failed are named."
        ),
        f"{_LINE}two_of_four_researchers_are_enough_and_each_that_failed_was_asked_once_more",
        (
            "outputs|available partial|aggregator|proceeds|required|2 synthesis|aggregator|cluster",
            "outputs aggregator cluster|proceeds",
            "researcher four|focus|concurrent|instances|parallel",
            "focused available",
            "researcher parallel|4",
        ),
        number=2,
    ),
    Rule(
        "feature.parallel",
        (
            "At most four agents work at once; larger waves are split into parts that run one "
            "after the other."
        ),
        f"{_WAVES}no_policy_and_no_wave_starts_more_than_four_at_once",
        (
            "concurren invocation|cap|subagent|maximum",
            "sub-wave|wave partition|tasks|cap|sub-wave",
            "sub-agents concurrent|parallel dispatch",
            "waves sub-wave parallel|implement",
        ),
        number=4,
        policy="max_parallel",
    ),
    Rule(
        "feature.waves",
        (
            "Waves run one after the other, each only when all earlier tasks are done; after a "
            "failed task no further wave starts, and verification follows."
        ),
        f"{_WAVES}waves_run_one_after_the_other_and_no_task_before_what_it_waits_for",
        (
            "wave sequential|wait|waiting|complete|next|error|extract|groups|remaining|collect",
            "implement record fail|failure verification",
            "error|done record|proceed wait|proceed|step|remaining",
            "plan read wave",
            "sub-wave wait",
        ),
    ),
    Rule(
        "feature.task-agent",
        (
            "A task is done by the agent its file names; if that is unknown or missing, by the "
            "implementer, with a warning."
        ),
        (
            f"{_WAVES}the_agent_of_a_task_is_the_one_its_file_names_and_an_unknown_one_is_the_"
            "implementer"
        ),
        (
            "agent field task|file|valid|read|absent",
            "default implementer",
            "task agents valid|list|implementer",
        ),
    ),
    Rule(
        "feature.approvals",
        (
            "With approval_mode a person is asked after research and before the first plan is "
            "built; without it nobody is asked."
        ),
        f"{_PEOPLE}with_approval_mode_the_run_rests_at_both_gates_and_goes_on_when_approved",
        (
            "approval-mode pause|human|gate|summary|wait|present|skip|false|unset|interactive",
            "approval research|planning gate|pause",
            "false unset skip|autonom",
            "proceed approval|gate spec|implementation",
        ),
        policy="approval_mode",
    ),
    Rule(
        "feature.memory-writers",
        (
            "Agents that work in parallel may only read memory.md; anything they write there is "
            "refused and undone."
        ),
        f"{_MEMORY}what_a_parallel_agent_writes_into_the_memory_is_refused_and_restored",
        (
            "memory write|writes sub-agents|read|safe|only|reads|orchestrator",
            "read-only parallel",
            "read-write sequential",
        ),
    ),
    Rule(
        "feature.memory-pruning",
        (
            "Decisions and updates are kept for the current phase and the one before, then "
            "pruned; the index and the lessons are always kept."
        ),
        (
            f"{_MEMORY}what_an_agent_that_works_alone_adds_is_there_for_the_next_and_pruned_two_"
            "phases_later"
        ),
        ("memory|entries prune|older|phases", "prune recent|decisions|lessons|steps|memory"),
    ),
    Rule(
        "feature.memory-invalidation",
        (
            "Before a revision the entries it concerns are marked; entries still marked after it "
            "are removed."
        ),
        f"{_MEMORY}before_a_revision_the_reviews_entries_are_marked_and_after_it_they_are_gone",
        ("invalidat memory|entries|revision", "clean|mark invalidated|entries revision|remaining"),
    ),
    Rule(
        "feature.memory",
        (
            "memory.md is created at the start; if it is damaged or missing it is created again, "
            "with a warning, and the run continues. An agent that adds nothing is told so."
        ),
        f"{_MEMORY}a_damaged_or_missing_memory_is_made_anew_with_a_warning_and_blocks_nothing",
        (
            "memory initializ|creat|template|corrupt|warning|non-blocking|lifecycle|step|cannot",
            "validate|check wrote|memory warning|agent",
            "memory manage|init",
        ),
    ),
    Rule(
        "feature.lessons",
        (
            "Between waves the lessons of finished tasks are kept, and the documentation writer's "
            "documents are indexed."
        ),
        f"{_MEMORY}tasks_teach_lessons_and_documents_are_indexed",
        (
            "lessons extract|task|append|learned",
            "documentation-writer artifact|index|output",
            "documentation writer record|collect",
        ),
    ),
    Rule(
        "feature.design-loop",
        (
            "The design review may send the design back once, and then all critics review it "
            "again; after that its open tensions bind the plan."
        ),
        (
            f"{_DESIGN}a_second_objection_goes_on_with_constraints_that_bind_the_planner_and_no_"
            "third_round"
        ),
        (
            "ct loop|designer|re-run|revision|aggregator|max",
            "designer revision route|loop",
            "tensions|constraints planning|forward|warning|unresolved",
            "ct aggregator",
            "ct sub-agents|four parallel|dispatch|collect",
            "ct parallel|4",
        ),
        number=1,
        policy="max_ct_loops",
    ),
    Rule(
        "feature.build-gate",
        (
            "v-build runs first; if it fails twice, the other checks are skipped and the "
            "verification is an ERROR."
        ),
        f"{_VERIFY}a_gate_that_fails_twice_skips_the_others_and_is_an_error",
        (
            "v-build|gate skip|sequential|first|parallel|error",
            "v-build dispatch|retry|gate",
            "persistent skip parallel|forward|aggregator",
            "v-tests|v-tasks|v-feature collect|wait|parallel|retry",
        ),
    ),
    Rule(
        "feature.replan-loop",
        (
            "Verification may ask for a new plan three times; each time the failed work is "
            "planned again, fixed and fully verified. After that the run continues with findings."
        ),
        (
            f"{_VERIFY}after_three_replans_that_do_not_help_the_run_ends_with_findings_and_never_"
            "as_clean"
        ),
        (
            "replan loop|iteration|mode|max|trigger|verifier",
            "iterations findings|proceed|verifier",
            "v aggregator|cluster replan|planner|loop|re-run|pattern",
            "planner invoke replan|verifier",
            "failing tasks verifier|replan",
            "verification pattern|v wrapped|loop|replan",
            "v-aggregator verifier",
            "iteration 3|verifier",
        ),
        number=3,
        policy="max_v_loops",
    ),
    Rule(
        "feature.tier",
        (
            "The tier (Full, Standard or Lightweight) is computed from the changed files and "
            "passed to the reviewers."
        ),
        f"{_REVIEW}the_tier_is_computed_from_what_changed_and_told_to_the_reviewers",
        ("tier review|determin|full|lightweight",),
    ),
    Rule(
        "feature.review-loop",
        (
            "The review may send tasks back once, then ask for a new plan once; after that the "
            "run halts."
        ),
        f"{_REVIEW}still_major_means_one_full_replan_and_then_the_run_halts",
        (
            "review|findings implementer fix|loop|affected|route|pass",
            "r aggregator implementer|loop|replan|planner|review",
            "escalat planner replan",
            "r sub-agents|four parallel|dispatch",
            "still needs-revision escalat|fix|replan",
            "r-quality|r-testing retry|collect|route",
            "r aggregator parallel|review|4",
        ),
        number=1,
        policy="max_r_loops",
    ),
    Rule(
        "feature.security",
        (
            "Nothing passes without the security review: a blocker, or no answer, leads to one "
            "more review, then to a new plan, then to a halt."
        ),
        f"{_REVIEW}a_blocker_of_security_is_asked_about_once_more_then_planned_anew_then_halts",
        (
            "r-security error|block|retry|critical|override|once",
            "security pipeline proceed|block|critical|error",
            "security flag|severity critical",
        ),
        number=1,
    ),
    Rule(
        "feature.knowledge",
        (
            "The knowledge review never blocks; its suggestions are kept for people and never "
            "applied, and recorded decisions are only added to."
        ),
        f"{_MEMORY}suggestions_are_kept_for_people_and_those_that_weaken_checks_are_marked",
        (
            "knowledge suggestions|proposals|non-blocking|r-knowledge|applied|auto-apply|human",
            "decisions persist|append|append-only|human|preserve",
            "suggestions auto-apply|applied|preserve",
        ),
    ),
    Rule(
        "feature.completion",
        (
            "A run is complete only when the review says DONE; unfinished work is never verified "
            "as done."
        ),
        f"{_FLOW}a_review_that_is_passed_without_done_is_found",
        ("workflow|completes complete|only review|done|aggregator", "final review done"),
    ),
    Rule(
        "feature.inputs",
        "Each agent sees what the workflow's tables give it, and nothing else.",
        f"{_TOLD}each_agent_sees_what_the_tables_say_and_nothing_else",
        (
            "file path explicit|pass subagents|explicit",
            "input subagent provided|every",
            "implementer receives task|findings",
        ),
    ),
    Rule(
        "feature.orchestrator",
        (
            "The coordination is code: it writes no code, tests or documentation, and asks only "
            "the agents of this workflow."
        ),
        f"{_FLOW}no_story_breaks_a_rule_with_and_without_approvals",
        (
            "code|tests documentation write|modif direct",
            "modif|tools code|files direct|delegat",
            "custom agents work|raw",
            "orchestrator return needs-revision",
        ),
    ),
)
