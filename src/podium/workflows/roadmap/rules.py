"""The rules of `roadmap` by name, each with the test that shows it."""

from __future__ import annotations

from podium.core.rules import Rule

_LOOP = "tests/acceptance/test_roadmap_loop.py::test_"
_RETRY = "tests/acceptance/test_roadmap_retries.py::test_"
_INPUT = "tests/acceptance/test_roadmap_bad_input.py::test_"
_TOLD = "tests/workflows/test_roadmap_contracts.py::test_"

RULES: tuple[Rule, ...] = (
    Rule(
        "roadmap.one-item",
        "One item is in progress at a time, and the file is read again for each item.",
        f"{_LOOP}the_file_is_read_again_for_every_item",
        (
            "item one|multiple iteration|loop|execute",
            "load roadmap",
            "execute loop|roadmap state|item",
        ),
        number=1,
    ),
    Rule(
        "roadmap.order",
        (
            "Of the ready items the one with the lowest priority number comes first, then the "
            "lowest id, and none before its dependencies are done."
        ),
        f"{_LOOP}items_are_done_by_priority_and_id_and_never_before_their_dependencies",
        (
            "priority id|asc|ascending",
            "item dependenc",
            "candidate ready|passes",
            "item reorder|id",
            "select item ready|passes|iteration",
        ),
    ),
    Rule(
        "roadmap.states",
        (
            "An item is marked in progress in the file before its first agent is asked, and done "
            "or blocked when it ends; only the loop writes these fields."
        ),
        f"{_LOOP}an_item_is_in_progress_in_the_file_before_its_first_agent_is_asked",
        (
            "status|state in-progress|done|blocked set|updat|persist|mark|roadmap|passes",
            "persist roadmap|state",
            "verdict pass set|done",
            "mark done evidence|verification",
        ),
    ),
    Rule(
        "roadmap.schema",
        (
            "A missing or invalid field of any item stops the run, and the message names the "
            "item, the field and the expected value."
        ),
        f"{_INPUT}every_fault_of_every_item_is_told_at_once_with_its_line",
        (
            "item schema|field|shape",
            "roadmap missing|malformed|invalid",
            "field missing|invalid|required",
            "report missing|invalid|format|affected field|value|item|stopping",
            "expected format value",
            "affected item",
        ),
    ),
    Rule(
        "roadmap.no-planning",
        (
            "The loop never creates, changes or reorders items; only the Planner does, and its "
            "changes are checked."
        ),
        (
            "tests/acceptance/test_roadmap_edits.py::"
            "test_only_the_loops_own_fields_change_whatever_the_file_looks_like"
        ),
        (
            "roadmap create|redesign|recreate|re-plan|scratch",
            "planning out-of-scope|scope",
            "item create|re-plan|reorder",
        ),
    ),
    Rule(
        "roadmap.retry-scope",
        (
            "A retry runs Implement, Testing and Review again, and is told every earlier failure, "
            "the files and its number."
        ),
        f"{_RETRY}each_retry_is_told_its_number_all_failures_the_files_and_where_to_stop",
        (
            "retry scope|implement re-dispatch|testing|only|implement",
            "failure|failures context|evidence|reason retry|implement|includ|reported",
            "retry number|attempt|final",
            "failures fix|reported only",
            "rewrite unrelated|code",
            "files modified retry|previous",
            "re-dispatch implement failure",
        ),
    ),
    Rule(
        "roadmap.pipeline",
        (
            "Each complexity has its own sequence of agents: simple items the basic one, medium "
            "items also the Architect, complex items also Research and Architect validation."
        ),
        f"{_LOOP}each_complexity_has_its_agents_in_order",
        (
            "complexity dispatch|pipeline|path",
            "implement testing review",
            "testing only|after implement",
            "review after testing",
            "complex research always",
            "architect implement testing|validat",
            "dispatch path complexity",
            "simple|medium|complex pipeline",
        ),
    ),
    Rule(
        "roadmap.research",
        (
            "Research done during planning is not repeated; if the criteria were edited, only the "
            "gaps are researched, and complex items are always researched."
        ),
        "tests/workflows/test_roadmap_choosing.py::test_whether_research_is_dispatched",
        (
            "planning-research research|architect|skip|populat|input|pass|null|scope",
            "research dispatch|skip dedup|populat|narrow|normal",
            "complex research always",
        ),
    ),
    Rule(
        "roadmap.validation",
        (
            "For complex items the Architect compares the code with the design; drift counts as a "
            "failed attempt, with the list of differences."
        ),
        f"{_RETRY}drift_is_a_failed_attempt_with_its_list_and_is_looked_for_again",
        ("architect validat", "drift retry|detected|aligned|failure"),
    ),
    Rule(
        "roadmap.context",
        (
            "A dispatch sees the item, the line about skills and the results of earlier steps "
            "that its row of the table allows, and nothing else."
        ),
        f"{_TOLD}a_dispatch_sees_what_its_row_of_the_table_allows_and_nothing_else",
        (
            "item context includ|always|dispatch|prior|criteria|verification|dependenc|id|title",
            "skill includ|check|read|file|reminder",
            "context stateless|accumulated|explicit|bundle|full|appropriate",
            "prior step output|includ",
            "runsubagent includ|call|context|agent",
            "dispatch agent context",
        ),
    ),
    Rule(
        "roadmap.compression",
        (
            "Results handed to later steps keep paths, findings, signatures, verdicts and three "
            "lines of each error; output, diffs and traces are dropped."
        ),
        "tests/workflows/test_roadmap_compression.py::test_each_error_keeps_its_first_three_lines",
        (
            "compress forward|keep|drop|output|evidence|context",
            "keep path|signature|finding|lines",
            "drop raw|diff|trace",
            "output forward files|list|description",
            "retries|retry compress|evidence all",
        ),
        number=3,
    ),
    Rule(
        "roadmap.retries",
        (
            "An item has two retries after its first attempt; then it is blocked, with all the "
            "evidence."
        ),
        f"{_RETRY}no_agent_can_talk_the_loop_into_a_fourth_attempt",
        (
            "retries|retry item|max|total|limit|count",
            "retry-count fail|blocked|increment",
            "retries still|fail blocked|status|stop",
            "set blocked status report|reasons",
        ),
        number=2,
        policy="max_retries",
    ),
    Rule(
        "roadmap.escalation",
        (
            "A blocked item stops the loop; it is named with its evidence and the items that wait "
            "for it."
        ),
        (
            f"{_LOOP}a_blocked_item_stops_the_loop_and_is_named_with_its_evidence_and_what_waits_"
            "for_it"
        ),
        (
            "blocked user|report|stop|evidence",
            "report evidence failure|accumulated user",
            "escalat retries|blocked",
        ),
    ),
    Rule(
        "roadmap.trust",
        (
            "By default the program runs the verification commands itself; with the policy "
            "`evidence = trust` it believes Testing and Review and runs nothing again."
        ),
        f"{_RETRY}trust_believes_testing_and_review_and_runs_nothing",
        (
            "verification|lint|typecheck|tests run|commands direct|own",
            "checks re-run trust|evidence",
        ),
        policy="evidence",
    ),
    Rule(
        "roadmap.verdicts",
        (
            "Every agent answers success, needs_revision or blocked; Testing adds pass or fail, "
            "and Review adds its verdict and three checks."
        ),
        (
            "tests/workflows/test_roadmap_dialects.py::"
            "test_anything_else_is_refused_with_the_exact_fault"
        ),
        (
            "status success|blocked|needs-revision return|output|must",
            "verdict testing|review evaluat|pass|fail",
            "return|must evidence|learning|next output|contract|files|steps",
            "verdict lint|typecheck|build",
            "learnings pattern",
            "next steps happen|pipeline",
        ),
    ),
    Rule(
        "roadmap.evidence",
        (
            "The program runs an item's verification commands, and their exit codes override what "
            "Testing and Review say."
        ),
        f"{_RETRY}a_claim_that_the_exit_code_contradicts_is_a_failure_and_both_are_in_the_journal",
        (
            "verification evidence|output done|sub-agent|capture|extract",
            "mark done evidence|verification",
        ),
    ),
    Rule(
        "roadmap.promise",
        "When every item passes, and only then, the agreed line stands alone at the end.",
        (
            "tests/acceptance/test_roadmap_commands.py::"
            "test_the_promise_stands_alone_on_its_line_when_every_item_passes"
        ),
        ("promise complete|emit", "stop all passes|items"),
    ),
    Rule(
        "roadmap.report",
        "Every iteration is reported: the work done, the changed state and the next candidate.",
        f"{_LOOP}every_iteration_is_reported_with_what_was_done_and_what_is_next",
        ("next candidate", "iteration report|selected"),
    ),
)
