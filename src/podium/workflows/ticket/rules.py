"""The rules of `ticket` by name, each with the test that shows it."""

from __future__ import annotations

from podium.core.rules import Rule

_END = "tests/acceptance/test_ticket_end_to_end.py::test_"
_FILES = "tests/acceptance/test_ticket_files.py::test_"
_PLANS = "tests/acceptance/test_ticket_plans.py::test_"
_GROUPS = "tests/acceptance/test_ticket_groups.py::test_"
_GIT = "tests/acceptance/test_ticket_git.py::test_"
_DOCS = "tests/acceptance/test_ticket_documentation.py::test_"
_AGAIN = "tests/acceptance/test_ticket_iterations.py::test_"
_RESUME = "tests/acceptance/test_ticket_resume.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "ticket.id",
        "A request must contain a ticket id such as PROJ-123; without one nothing starts.",
        f"{_END}a_request_without_a_ticket_says_the_pattern_and_writes_nothing",
        ("jira extract|pattern|id|found", "found stop error|jira"),
    ),
    Rule(
        "ticket.prompt",
        (
            "A clear request becomes a complete prompt.yaml without an agent; an unclear one goes "
            "to the Interpreter, with the reasons."
        ),
        f"{_PLANS}a_clear_request_needs_no_interpreter",
        (
            "prompt clear|ambiguous|interpreter",
            "prompt-yaml creat|fields|required",
            "work type detect|keywords|fix|feature",
            "slug generat|extract",
            "success criteria derived",
        ),
    ),
    Rule(
        "ticket.mandates",
        (
            "Tools that the request demands are kept word for word and passed only to the agent "
            "they are meant for."
        ),
        f"{_PLANS}tool_mandates_reach_their_agents_and_only_those",
        ("mandates|mandate tool|preserve|extract|runtime", "assigned-agent infer"),
    ),
    Rule(
        "ticket.log",
        "log.jsonl records the whole run in order, each line once, and only the program writes it.",
        f"{_FILES}the_log_tells_the_whole_way_in_order",
        (
            "log orchestrator",
            "log file|target|jsonl|logging|append-log|instruction",
            "subagents log",
            "log append-log|everything",
        ),
    ),
    Rule(
        "ticket.analysis",
        (
            "Before any agent is asked, the program finds build and test commands, parallelism, "
            "documents and likely files from the project's files."
        ),
        "tests/workflows/test_ticket_analysing.py::test_commands_are_detected_with_the_reason",
        (
            "build test command detect|derive|first|project",
            "impact scan",
            "startup analysis",
            "subagents command|detection|scanning|estimat|deterministic",
            "likely files collect|affected",
            "programmatic tool|terminal|search|file|detect|subagent",
        ),
    ),
    Rule(
        "ticket.width",
        (
            "The number of parallel tasks depends on the machine, is at least one, and is never "
            "exceeded."
        ),
        f"{_GROUPS}no_more_run_at_once_than_are_allowed",
        (
            "max-parallel-tasks",
            "parallel tasks max|limit",
            "cores detect|available",
            "batches|batch parallel size|limit|max-parallel-tasks",
        ),
        policy="max_parallel_tasks",
    ),
    Rule(
        "ticket.docs-trust",
        (
            "Documentation is trusted only if it exists and matches its cache; otherwise the "
            "missing or stale part is refreshed."
        ),
        f"{_DOCS}documents_that_can_be_trusted_need_no_initializer",
        (
            "docs|documentation trust|trusted|cache",
            "trust-status",
            "documents refresh|cached stale|invalid|missing",
            "placeholder trust|evidence",
            "cache evidence",
            "docs-trusted-for-planning",
        ),
    ),
    Rule(
        "ticket.initializer",
        (
            "If the documentation is not trusted, the Initializer works alongside the first plan "
            "without delaying it, and runs again at the end if the layout changed."
        ),
        f"{_DOCS}without_documents_the_initializer_works_beside_the_planner",
        (
            "initializer parallel|run|planner|block|skip|incremental|refresh|entirely",
            "planner block initializer",
        ),
    ),
    Rule(
        "ticket.resume",
        (
            "A run continues where progress.yaml says, with its commands, branch and counters, "
            "and never skips the git gate."
        ),
        f"{_RESUME}a_run_without_its_journal_goes_on_from_its_files",
        (
            "restore progress|build-command|current-phase|branch",
            "resume point|current-phase|progress|existing|based",
            "progress read|values|exists|trust|counters|iteration",
            "tasks first status|accepted scan",
            "git-gate-completed checkout|branch",
            "re-read prompt-yaml|progress-yaml|tasks-yaml",
            "trust files",
        ),
    ),
    Rule(
        "ticket.files",
        (
            "progress.yaml has every member from the start and shows where the run stands; "
            "prompts/ and the cache are ignored by git."
        ),
        f"{_FILES}progress_has_every_member_in_its_order_from_the_start",
        (
            (
                "progress-yaml|progress "
                "updat|creat|write|store|read|fields|initialize|before|checkpoint"
            ),
            "gitignore creat|add|contain|exist|read",
            "creat prompts jira|iteration|tmp|log",
            "last-checkpoint|checkpoint updat|git|head|transition",
            "startup store|progress",
            "iteration timestamp|entry|creat",
            "current-phase|current-step",
        ),
    ),
    Rule(
        "ticket.no-side-files",
        (
            "State lives only in progress.yaml and tasks.yaml; other state files are neither "
            "written nor believed."
        ),
        f"{_FILES}no_side_files_are_made",
        (
            "creat separate|required|task-packets|summary file|artifacts|files",
            "task state stored|store|tasks-yaml|execution",
            "validation-policy|policy store|source|single",
            "startup-context|context-compact|validation-plan|task-packets creat|separate|not",
            "reports|files authoritative state|informational",
        ),
    ),
    Rule(
        "ticket.legacy",
        (
            "If state files of an older version lie beside today's, the run stops with the agreed "
            "words before any agent is asked."
        ),
        f"{_RESUME}legacy_artifacts_stop_a_resume_before_anybody_is_asked",
        ("legacy artifacts|derived|summary|files", "mixed artifact", "reconstruct state|legacy"),
    ),
    Rule(
        "ticket.iterations",
        (
            "There are at most five iterations; the fifth rejection stops the run with the agreed "
            "words."
        ),
        f"{_AGAIN}the_fifth_rejection_stops_with_the_exact_words",
        (
            "iteration iterations|max|stop|loop|number|5|rejected",
            "outer loop",
            "maximum iterations",
        ),
        number=5,
        policy="max_iterations",
    ),
    Rule(
        "ticket.iteration-input",
        (
            "The first plan starts from the prompt, and each later one from the review that "
            "rejected its predecessor."
        ),
        f"{_AGAIN}a_rejected_review_is_what_the_next_plan_starts_from",
        (
            "iteration review-report|prompt input|prior|source",
            "planning input read|file|review-report",
            "rejected iteration continue|loop|back",
            "prompts iteration review-report",
        ),
    ),
    Rule(
        "ticket.no-deferral",
        "A plan that postpones research stops the run at once, with the agreed words.",
        f"{_PLANS}a_plan_that_puts_research_off_stops_the_run_at_once",
        ("planner deferr|deferral", "verify plan-md", "planner validation"),
    ),
    Rule(
        "ticket.tasks-valid",
        (
            "tasks.yaml is checked as a whole: top-level keys, every field of each task, groups "
            "as a table, and an order without contradictions."
        ),
        "tests/workflows/test_ticket_tasks_document.py::test_each_field_of_a_task_is_required",
        (
            "tasks-yaml verify|contains|validate|extract|check|read|exists",
            "parallel-groups mapping|list|verify|object",
            "execution-order list|objects|verify|read|extract",
            "task required|fields verify|fields|each",
            "mapping invalid|non-mapping",
            "tasks extract|all ids",
        ),
    ),
    Rule(
        "ticket.splitter",
        (
            "If the Planner's tasks are missing or unusable, the Splitter writes them; there is "
            "no third try."
        ),
        f"{_PLANS}tasks_that_cannot_be_used_go_to_the_splitter_with_the_reason",
        (
            "splitter skip|fallback|invoke|call|fall|through",
            "invalid delete|malformed tasks|splitter",
        ),
    ),
    Rule(
        "ticket.git-gate",
        (
            "No code is written before the run's branch exists and a person has decided about "
            "uncommitted code."
        ),
        f"{_END}no_code_is_written_before_the_git_gate",
        (
            "git gate|state before|code-writing|resolved|completed|run|succeeds|just-in-time",
            "code-writing agent before|invoke|git",
            "git checkout|branch|stash|mutation creation|step|analysis",
            "branch creat|naming|git",
            "planning before branch",
        ),
    ),
    Rule(
        "ticket.git-dirty",
        (
            "Changed documents are carried along automatically; for changed code a person "
            "chooses, and abort leaves everything as it is."
        ),
        f"{_GIT}abort_leaves_everything_and_asks_again_another_time",
        (
            "working dirty tree|changes",
            "stash docs|pop",
            "user chooses|choice abort|flow|dirty",
            "dirty documentation|non-documentation",
        ),
    ),
    Rule(
        "ticket.fast-path",
        (
            "A single small task that needs no running tool goes straight to the Developer and is "
            "accepted when build and tests pass; anything else is reviewed."
        ),
        f"{_PLANS}one_trivial_task_needs_developer_build_and_test_and_no_reviewer",
        (
            "trivial graph|path|task|fast|graphs",
            "auto-accept build|tests|trivial",
            "tasks exactly|single one|1|task|entry",
            "skip reviewer|o6",
            "developer direct|bypass|invoke",
            "cycle-acceleration-mode",
            "non-trivial artifacts|review|graphs",
            "proceed commit direct|o7",
        ),
        number=1,
    ),
    Rule(
        "ticket.task-files",
        (
            "A task may change only the files it lists; a change elsewhere is undone and kept for "
            "people, and the task is rejected."
        ),
        f"{_GROUPS}a_task_that_touches_another_file_is_rejected_and_the_stray_is_kept_and_gone",
        (
            "files-to-modify",
            "modified files validate|test-files|diff",
            "allowlist|baseline drift|scope|fields|retry",
            "baseline-scope|code-and-tests-only",
        ),
    ),
    Rule(
        "ticket.groups",
        (
            "Groups run in order; tasks of a parallel group that share no file run side by side, "
            "those of a sequential group one by one."
        ),
        f"{_GROUPS}groups_run_in_the_order_of_the_plan",
        (
            "group|groups order|sequence|last|first|process|stop|launch|execution",
            "parallel sequential|strategy independent|dependen|tasks|task-executor",
            "strategy parallel|sequential invoke|task-executor|simultaneous|one|batch",
            "task-executor parallel|sequential|simultaneous|one|launching|entry",
            "execution-order parallel-groups",
            "file-disjoint batch|safe",
            "proceed o6 yet|last|only",
            "parallel independent",
            "sequential dependent",
        ),
    ),
    Rule(
        "ticket.group-validation",
        (
            "The program builds and tests a parallel group once; a failure rejects all its tasks, "
            "with the output."
        ),
        f"{_GROUPS}a_failed_build_or_test_rejects_every_task_of_the_group_with_the_output",
        (
            (
                "group build|test|validation "
                "run|once|validate|skip|syntax-valid|syntax-error|workspace-aware|group-scoped"
            ),
            "build|tests run terminal|non-zero|command",
            "build tests succeed|pass accepted|update|status",
            "syntax-valid|syntax-error status|group",
            "validation ownership",
            "validation-policy build-command|working-directory|workspace-aware",
        ),
    ),
    Rule(
        "ticket.attempts",
        (
            "A task has at most five attempts, and only rejected tasks run again; after that the "
            "run pauses."
        ),
        f"{_GROUPS}after_five_attempts_the_run_pauses",
        (
            "attempt rejected|max|paused|5|re-run|tasks|retry",
            "rejected tasks|task retry|re-run|only|list",
            "attempts reached|max",
            "task status rejected|syntax-error|error add|rejected",
        ),
        number=5,
        policy="max_attempts",
    ),
    Rule(
        "ticket.statuses",
        (
            "Tasks, reviews and runs each have a closed list of status words; if two disagree, "
            "the worse one counts."
        ),
        "tests/workflows/test_ticket_dialects.py::test_each_word_has_one_meaning",
        (
            "status accepted|rejected extract|update|read|task|already|notify",
            "task statuses|re-read tasks-yaml|read|update",
            "review-report read|status|extract",
            "accept reject evidence",
            "status accepted tasks-yaml",
        ),
    ),
    Rule(
        "ticket.metrics",
        (
            "The program computes percentages, counts, times and the estimate; the percentage "
            "stays at 95 until acceptance."
        ),
        f"{_FILES}percent_stays_at_95_until_acceptance_and_never_falls_within_an_iteration",
        (
            (
                "metrics|percent comput|recomput|update|programmatic|promote|timestamp "
                "tasks|group|iteration|percent|completed|programmatic|lead-time"
            ),
            "percent-complete",
            "progress updates|line|user-facing includ|eta|percent",
            "eta|estimat deterministic|subagent|percentage|calculation",
            "timing|timestamp|timestamps fields|persist|capture|group|iteration|start",
        ),
        number=95,
    ),
    Rule(
        "ticket.review",
        (
            "After all tasks the Reviewer judges the whole iteration; an acceptance that the "
            "program's own build and tests contradict counts as a rejection."
        ),
        f"{_AGAIN}a_reviewer_that_accepts_while_the_tests_fail_has_rejected",
        (
            "reviewer|review accepted|rejected tasks|iteration|accept|reject|all",
            "accepted commit|proceed|o7",
            "final review preserve|artifacts",
            "review accepted iteration commit",
        ),
    ),
    Rule(
        "ticket.commit",
        (
            "An accepted run becomes one commit of exactly its files, with a conventional "
            "subject; nothing is ever pushed."
        ),
        f"{_END}a_ticket_becomes_one_commit_on_a_branch_of_its_own",
        ("commit accepted|conventional|messages|message", "conventional commit"),
    ),
    Rule(
        "ticket.scopes",
        (
            "Every brief begins with its scope, and no agent can do another's work: plan, code, "
            "review, commit or write the program's files."
        ),
        (
            "tests/workflows/test_ticket_contracts.py::"
            "test_every_agent_is_told_its_scope_and_kept_from_the_programs_files"
        ),
        (
            "forbidden plan|planning|coding|cod|review|reviewing|research|commit|design|implement",
            "scope reminder|action|only|outside",
            "coordinate agents track|loops",
            "tasks implement specified|only",
            "action outside scope",
        ),
    ),
    Rule(
        "ticket.briefs",
        (
            "Each brief contains what its agent needs: the task's entry, the commands, the "
            "beginning of long documents, and all findings."
        ),
        (
            "tests/acceptance/test_ticket_plans.py::"
            "test_a_planner_sees_the_beginning_of_long_documents_and_all_findings"
        ),
        (
            "lines first|paste docs|architecture|code-style",
            "paste content|findings",
            "prompt embed|embedded|entry task|tasks|content|read",
            "runsubagent context|include|required",
            "task entry embed|read|full",
            "input read embedded|findings",
        ),
        number=80,
    ),
)
