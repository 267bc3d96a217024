"""The rules of `governed` by name, each with the test that shows it."""

from __future__ import annotations

from podium.core.rules import Rule

_REVIEW = "tests/acceptance/test_governed_review.py::test_"
_PHASES = "tests/acceptance/test_governed_phases.py::test_"
_RUNS = "tests/acceptance/test_governed_runs.py::test_"
_RESUME = "tests/acceptance/test_governed_resume.py::test_"
_ROUND = "tests/workflows/test_governed_review_round.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "governed.retries",
        (
            "Each class of failure has its own route and budget: three retries for transient, one "
            "for fixable and needs_replan, none for escalate."
        ),
        f"{_PHASES}each_class_has_its_route_and_its_budget",
        (
            "transient fixable needs-replan|escalate",
            "failure classification retry|retries|route|handling|log",
            "retry limit|exhausted user|escalate|evidence",
            "fails|fail failure-classification|classification route|handling|check|build",
            "retry handling|failure log|enter",
            "retry-attempt payload|backoff",
        ),
        number=3,
    ),
    Rule(
        "governed.retry-total",
        (
            "All retries of a phase share one budget; once it is used up, a person decides, "
            "whatever the class."
        ),
        (
            "tests/workflows/test_governed_failures.py::"
            "test_whichever_budget_bites_first_decides_and_is_named"
        ),
        ("retry budget phase|cumulative", "exhausted escalate|user regardless|classification"),
        number=5,
    ),
    Rule(
        "governed.repeat",
        (
            "The same class of failure three times in a row goes to a person, even if the class "
            "has retries left."
        ),
        (
            "tests/workflows/test_governed_failures.py::"
            "test_no_history_gets_more_than_any_budget_allows"
        ),
        (
            "escalation threshold|same phase|fails",
            "same fails|failure classification|failure-classification",
        ),
        number=3,
    ),
    Rule(
        "governed.plan-before-acting",
        (
            "Nothing is executed before a person has approved the plan; during execution the plan "
            "changes only for the phase that failed."
        ),
        f"{_REVIEW}nothing_acts_before_the_plan_is_approved",
        (
            "planning implementation|acting execute|never|actions",
            "plan approved|approval user|implementation|pause|before",
            "acting plan|replan rewrite|globally|localized",
            "plan-path approval|handoff|implicit|bypass|trigger",
            "planning gate pause|approval|structured",
            "pause user approval",
            "research design planning",
            "planning waiting-approval",
        ),
    ),
    Rule(
        "governed.states",
        (
            "Planning, approval, plan review, acting and reviewing follow the rules, and every "
            "transition is a gate event."
        ),
        "tests/workflows/test_governed_workflow.py::test_a_run_goes_where_its_rules_say",
        (
            "planning waiting-approval plan-review|acting",
            "plan-review acting|exits|transitions",
            "state machine",
        ),
    ),
    Rule(
        "governed.review-trigger",
        (
            "The policy decides which plans are reviewed: by size, confidence, destructive scope "
            "or an open high risk."
        ),
        (
            "tests/workflows/test_governed_review_scope.py::"
            "test_the_tier_names_the_reviewers_once_anything_asks_for_a_review"
        ),
        (
            "trigger conditions|plan-review|thresholds|condition",
            "runtime-policy authoritative|trigger|source",
            "trigger skip implementation",
        ),
    ),
    Rule(
        "governed.tiers",
        (
            "TRIVIAL plans have no reviewer, SMALL one, MEDIUM two, LARGE three; an unresolved "
            "high risk calls for all of them."
        ),
        f"{_RUNS}a_plan_of_each_tier_is_reviewed_by_the_policy_and_carried_out",
        (
            "trivial|small|medium|large plan-auditor|assumption-verifier|pipeline|skip",
            "tier routing|complexity|review|full|pipeline dispatch|pipeline|force|iteration|skip",
            "override risk-review|high full|force|pipeline",
            "proceed implementation loop",
            "tier complexity agents|dispatch",
            "risk high-impact|high-risk full|pipeline",
        ),
    ),
    Rule(
        "governed.iterations",
        (
            "A plan may be revised as often as its tier allows; after that a person sees the best "
            "version."
        ),
        f"{_REVIEW}revisions_end_at_the_tiers_limit_and_a_person_sees_the_best_version",
        (
            "max-iterations tier|iteration|cap|user|best|policy",
            "iteration-index max|exhaust|best",
            "iteration cap|limit tier|policy",
        ),
        policy="max_iterations_by_tier",
    ),
    Rule(
        "governed.stagnation",
        (
            "If the review score rises by less than the policy's threshold over the audits it "
            "counts, the review stops before its limit and a person is asked."
        ),
        f"{_REVIEW}a_review_that_brings_nothing_stops_before_its_limit",
        ("convergence|stagnation score|iteration|user|improvement|findings",),
        number=0.05,
    ),
    Rule(
        "governed.rounds",
        (
            "A round is decided once all reviewers have answered: approved only without open "
            "blockers; otherwise findings go to the planner, and a rejection to a person."
        ),
        f"{_ROUND}every_round_has_one_move",
        (
            "plan-auditor|planauditor approved|rejected|needs-revision|returns|mirages",
            "assumption-verifier|assumptionverifier mirages|blocking|abstain|returns",
            "findings planner route|combined",
            "dispatched agents wait|return",
            "executability-verifier|executabilityverifier pass|fail|scope|plan|dispatch",
            "findings user waiting-approval|summary|decision",
            "approved exit|plan loop",
            "rejected user|waiting-approval findings",
        ),
    ),
    Rule(
        "governed.abstain",
        (
            "A required reviewer that abstains is asked once more, then a person is asked; "
            "confidence below the threshold counts as abstaining, whatever the words say."
        ),
        f"{_REVIEW}twice_abstained_is_for_a_person",
        (
            "abstain confidence|evidence|threshold|uncertain|verify|safely|log|proceed|returns",
            "confidence below threshold",
        ),
    ),
    Rule(
        "governed.reruns",
        (
            "After a revision everything in scope is reviewed again; a reviewer is spared only if "
            "nothing but the wording of the reviews changed."
        ),
        (
            "tests/workflows/test_governed_reruns.py::"
            "test_everything_is_reviewed_again_but_for_wording_of_the_reviews"
        ),
        (
            "rerun selective|full|path",
            "revision closed-world|selective|touches|full",
            "rerun bypass|executability",
        ),
    ),
    Rule(
        "governed.regressions",
        (
            "If something was verified once and fails now, it blocks the plan and is traced to "
            "the round that caused it."
        ),
        f"{_REVIEW}what_was_mended_and_comes_back_blocks_the_plan",
        (
            "regression verified|item|tracking|blocking|iteration",
            "verified items|item previous|fails|load",
            "lineage|revision-of plan|prior",
        ),
    ),
    Rule(
        "governed.roster",
        "Only the twelve agents of the roster do work.",
        "tests/workflows/test_governed_roster.py::test_a_name_outside_the_roster_never_executes",
        (
            "delegat roster|outside|project|target|agents",
            "external|third-party agents|prohibited",
            "delegat planner|subagent roster|documented",
        ),
    ),
    Rule(
        "governed.executor",
        (
            "A phase is done by the executor its plan names; a phase without one goes back to the "
            "planner, and none is guessed."
        ),
        f"{_RUNS}a_phase_without_an_executor_goes_back_to_the_planner",
        (
            "executor-agent phase|omits|infer|include|authoritative|owner",
            "executor phase|agent declared|explicit|reissued|resolve|delegat",
            "legacy phase executor",
        ),
    ),
    Rule(
        "governed.high-risk",
        (
            "A change that can destroy, rewrite in bulk or lose data waits for a person; if it "
            "was not announced, it is held back until a person allows it."
        ),
        f"{_PHASES}an_unannounced_deletion_is_held_back_until_a_person_allows_it",
        (
            (
                "destructive|irreversible|high-risk "
                "approv|confirmation|user|require|changes|action|silent|operations"
            ),
            "bulk contract|rewrites",
            "data loss|effects",
            "risk destructive|approval gate|dispatch",
            "high-risk waiting-approval|action|gate",
            "user confirmation explicit",
        ),
    ),
    Rule(
        "governed.preflect",
        (
            "Before every phase its risks are assessed (missing files, contracts, destruction), "
            "and the decision is recorded."
        ),
        (
            "tests/workflows/test_governed_preflect.py::"
            "test_each_risk_alone_has_its_class_and_decision"
        ),
        ("preflect gate|risk|run|classes|mandatory",),
    ),
    Rule(
        "governed.questions",
        (
            "NEEDS_INPUT reaches a person with options, pros, cons and a recommendation, whatever "
            "class it names, and the answer reaches the agent."
        ),
        f"{_PHASES}a_question_shows_its_options_and_the_answer_reaches_the_executor",
        (
            "needs-input clarification|options|user|routing|routes",
            "askquestions|clarification options|class|mandatory|request|user|answerable",
            "clarification-request extract|subagent|user",
            "user selection|wait option|wait|retry|scope",
            "clarification class mandatory",
        ),
    ),
    Rule(
        "governed.approvals",
        (
            "Each wave needs one approval, and so does each phase of a wave that contains a "
            "destructive one; every review is shown before the run continues."
        ),
        (
            "tests/workflows/test_governed_approvals.py::"
            "test_a_wave_is_approved_as_a_whole_with_one_question"
        ),
        (
            "approval wave|request|phase one|per|present|risk|summarize|batch|fatigue",
            "per-phase approval",
            "phase review approval|continue|verdict|presented|user",
            "pause user|commit continue|approval|commit",
            "wave approve|approval phases",
            "explicit approval|acknowledgment continue|phase|proceeding",
            "requires human approval",
        ),
        number=1,
    ),
    Rule(
        "governed.completion-approval",
        (
            "The summary is shown before anything is committed or merged, and the session is "
            "logged before the summary."
        ),
        f"{_RUNS}the_session_is_logged_before_its_summary_is_shown",
        (
            "summary completion|final commit|before|review|session-outcome|produce|todo|reviewed",
            "session-outcome|session append|entry",
            "completion summary",
        ),
    ),
    Rule(
        "governed.waves",
        (
            "Waves run in ascending order, and each waits for all phases of the one before; "
            "within a wave, phases that share no file run side by side."
        ),
        f"{_PHASES}phases_of_a_wave_run_side_by_side_and_waves_in_order",
        (
            "wave|waves phases|ascending|number group|wait|complete|all|parallel|execute|advancing",
            "phase wave fails|advancing",
            "wave next complete|advancing",
        ),
    ),
    Rule(
        "governed.parallel",
        "The policy limits how many agents work at once.",
        "tests/workflows/test_governed_wave_schedule.py::test_no_batch_is_larger_than_the_limit",
        ("parallel subagent|agents|calls limit|calls|up|max", "max-parallel-agents"),
        number=10,
    ),
    Rule(
        "governed.throttle",
        "Two transient failures in one wave halve the parallelism of the following waves.",
        (
            "tests/workflows/test_governed_wave_schedule.py::"
            "test_two_phases_of_a_wave_that_fail_in_passing_halve_the_next_waves"
        ),
        ("throttl wave|transient|parallelism", "parallelism reduce|wave transient"),
        number=2,
    ),
    Rule(
        "governed.silent-failures",
        "An empty answer, a timeout or a busy service is a transient failure, never progress.",
        f"{_PHASES}an_empty_answer_is_transient_at_once",
        ("empty|timeout|rate-limit response|silent|proceed|subagent",),
    ),
    Rule(
        "governed.build-gate",
        (
            "A phase is complete only if the program's own build, tests and lint pass, the review "
            "is clean and its todo is marked."
        ),
        (
            "tests/workflows/test_governed_phase_checklist.py::"
            "test_each_point_that_fails_keeps_the_phase_open"
        ),
        (
            "build phase|passes evidence|verified|complete|report|independent|success|gate",
            "tests pass|passes evidence|report",
            "lint problems|clean",
            "phase complete evidence|build|verif|check|marking|claim",
            "check fails phase",
            (
                "evidence success|missing|claim|fabricat|specul "
                "validation|claim|success|evidence|build"
            ),
            "build fails route|failure",
        ),
    ),
    Rule(
        "governed.code-review",
        (
            "Every tier has a code review, and only issues the reviewer confirmed block; an "
            "approval next to a confirmed blocker does not count."
        ),
        f"{_PHASES}a_confirmed_blocker_goes_back_whatever_the_headline_says",
        (
            "code-reviewer|codereviewer|code review|phase|mandatory|tiers|status|blocking",
            "validated-blocking-issues|validated-blocking block|empty|proceed|contains|critical",
            "review status approved|loop|revision",
            "block validated|unvalidated findings|issues",
        ),
    ),
    Rule(
        "governed.final-review",
        (
            "If the policy or the tier asks for it, the whole result is reviewed at the end; a "
            "blocker goes once to the owner of the file, then to a person."
        ),
        f"{_PHASES}the_final_review_sends_a_blocker_to_its_owner_once",
        (
            (
                "final review|review-scope|final-review "
                "gate|active|optional|fix|cycle|blocked|advisory|consistency"
            ),
            "fix cycle|executor owner|max|blocked|owns|executor",
            (
                "changed-files|plan-phases-snapshot|snapshot "
                "aggregate|normalize|extract|dispatch|omit|build"
            ),
            "mapping changes|docs file",
            "executor targeted|fix",
            "cross-phase consistency",
        ),
        number=1,
    ),
    Rule(
        "governed.todos",
        (
            "Every phase has a todo, which is marked when the phase is verified; after a restart "
            "the list is first brought in line with the documents."
        ),
        f"{_RESUME}todos_are_set_right_by_the_documents_before_anything_else",
        (
            "todo|todos item|phase|mark|completed|call|reconcil|batching|state",
            "batching completions|todo",
            "completion|completions separate|later|bulk",
            "resum reconcil",
            "phase work resume|reconcil",
        ),
    ),
    Rule(
        "governed.trace",
        (
            "A trace id is created at the start and appears in every gate event and in everything "
            "agents are given."
        ),
        f"{_RUNS}everything_that_is_emitted_is_valid",
        (
            "trace-id generat|include|gate|propagate|pass",
            "gate events|event|payloads include|propagate|delegation|iteration|field",
            "iteration-index include|pass|plan-path",
        ),
    ),
    Rule(
        "governed.schemas",
        (
            "Everything sent or received must match its schema; words outside the fixed lists are "
            "refused."
        ),
        "tests/workflows/test_governed_dialects.py::test_no_lie_about_the_shape_is_believed",
        (
            "schema contract|contracts|event|delegation|load",
            "status|decision enums",
            "structured plan|planner contract|require",
            "delegat include scope|output|context",
            "gate|report fields|reason include|labeled",
        ),
    ),
    Rule(
        "governed.delegation",
        (
            "Each agent gets one valid payload with its scope, deliverable and context; the "
            "phases of a plan do not overlap."
        ),
        (
            "tests/workflows/test_governed_delegations.py::"
            "test_every_executor_is_handed_a_valid_payload"
        ),
        (
            "delegat scope|payload|output|context include|description|format|call",
            "call scope deliverable",
            "focus-areas derive|delegation|risk",
            "changed files pass|list|report phase|executor",
        ),
    ),
    Rule(
        "governed.plan-shape",
        (
            "A plan has three to ten phases, each with an executor, automated tests and no code; "
            "if something is missing, it goes back to the planner."
        ),
        (
            "tests/workflows/test_governed_plan_checks.py::"
            "test_a_plan_that_cannot_be_executed_goes_back_to_the_planner"
        ),
        (
            "phase|phases count|incremental|decompose|self-contained",
            "code blocks plans|prose",
            "manual testing|steps",
            "architecture|design decisions explicit",
            "verification automatable",
        ),
        number=10,
    ),
    Rule(
        "governed.commit-message",
        "A commit message begins with one of the five prefixes and names neither plan nor phase.",
        (
            "tests/workflows/test_governed_commit_message.py::"
            "test_whatever_it_is_made_from_a_message_is_one"
        ),
        ("commit prefix|messages|message", "reference plan|phase names|numbers commit"),
    ),
    Rule(
        "governed.notes",
        (
            "NOTES.md is updated at every phase boundary and stays within its limits; facts are "
            "remembered once, and only with a place that shows them."
        ),
        (
            "tests/workflows/test_governed_notes.py::"
            "test_whatever_they_are_made_from_notes_keep_their_limits"
        ),
        (
            "notes update|phase|boundary|stale",
            "memory repo|facts|candidate|promotion|hygiene|write",
            "checklist phase|memory",
        ),
    ),
    Rule(
        "governed.compaction",
        "Failures caused by a full context go to a person after the number the policy allows.",
        (
            "tests/workflows/test_governed_failures.py::"
            "test_context_that_stays_too_large_goes_to_a_person_after_three_tries"
        ),
        ("context failures|compaction waiting-approval|max-consecutive",),
        number=3,
    ),
    Rule(
        "governed.observability",
        "Every payload is one line of the task's NDJSON file, exactly once.",
        f"{_RUNS}the_sink_holds_every_payload_of_the_run_and_its_phases_once",
        ("ndjson append|event|line|observability",),
    ),
)
