"""What each key of a policy means, in one sentence: the texts of the reference."""

from __future__ import annotations

from collections.abc import Mapping

POLICY: Mapping[str, str] = {
    "require_approval_before_build": "Ask a person before Build. The task file may say otherwise, `--set` wins over both.",  # noqa: E501
    "require_approval_before_complete": "Ask a person before Complete. The same order of precedence applies.",  # noqa: E501
    "max_remediations": "How often a review may send the task back before the run is blocked.",
    "repair_attempts": (
        "How often an agent is asked again for an artifact that is missing, empty, malformed or "
        "unreadable."
    ),
    "validation_fixes": "How often Build is asked again after a command that Podium ran has new failures.",  # noqa: E501
    "max_retries": "How often an item goes back to Implement after a failed attempt before it is blocked.",  # noqa: E501
    "evidence": (
        "`observe`: Podium runs an item's `verification` commands itself after Review, and what "
        "they prove wins. `trust`: the claims of Testing and Review are enough, and the run ends "
        "as unproven."
    ),
    "minor_fixes": "What `Minor fixes needed` in a review means: `fail` is a failed attempt, `pass` passes.",  # noqa: E501
    "keep_going": (
        "Carry on past a blocked item with what does not depend on it. `--keep-going` for one call."
    ),
    "max_items": "Stop after this many items; 0 = no limit. `--max-items N` for one call.",
    "approval_mode": "Ask a person after research and before the first plan is built.",
    "max_parallel": "Agents at once, 1 to 4. More than 4 counts as 4.",
    "max_ct_loops": "How often the design review may send the design back.",
    "max_v_loops": "How often verification may ask for a new plan.",
    "max_r_loops": "How often the review may send tasks back to the agents that did them.",
    "review_full": (
        "Globs of changed paths that call for a Full review, in place of the built-in ones; paths "
        "relevant to security always do."
    ),
    "review_lightweight": (
        "Globs of paths for which a Lightweight review is enough if every changed path matches, "
        "in place of the built-in ones."
    ),
    "structure": (
        "`warn`: a document or plan that lacks a section is used, with a warning. `require`: it "
        "is refused."
    ),
    "max_iterations": "How many plans a ticket may have: the run stops after this many rejected reviews.",  # noqa: E501
    "max_attempts": "How often one task may be tried in an iteration; then the run pauses.",
    "max_parallel_tasks": "Tasks at once in a parallel group; 0 means one for each core.",
    "pull_request": (
        "`gh` or `glab`: when all is committed, push the run's own branch to `origin` and open a "
        "pull request with that program. `off`: nothing is pushed."
    ),
    "retry_backoff_s": "First delay before retrying a failure that may pass with time; it doubles each time.",  # noqa: E501
    "proof": (
        "`required`: what is done is proven by commands that Podium runs. `none`: nothing is "
        "proven, and the run ends as unproven."
    ),
    "step_timeout_s": "Longest time for one dispatch, and for one command that Podium runs as proof.",  # noqa: E501
}
GOVERNED: Mapping[str, str] = {
    "approval_required_actions": (
        "What a phase may do only after a person has agreed; Podium looks for it in the plan, in "
        "the changes and in the commands."
    ),
    "review_pipeline_by_tier.*.plan_auditor": "Whether a plan of that tier is audited when a review is due.",  # noqa: E501
    "review_pipeline_by_tier.*.assumption_verifier": "Whether its assumptions are checked, at the same time.",  # noqa: E501
    "review_pipeline_by_tier.*.executability_verifier": "Whether it is rehearsed after the others have approved it.",  # noqa: E501
    "review_pipeline_by_tier.*.code_review": "Whether the code of its phases is reviewed.",
    "max_iterations_by_tier.*": "How often a plan of that tier may be sent back by its reviewers.",
    "model_dispatch.default_mode": (
        "`auto`: the agent chooses its model. `deterministic`: every delegation names the model "
        "that the settings have for its agent."
    ),
    "model_dispatch.auto_mode_allow_outer_model_omission": "Whether a delegation may go without a model in the mode `auto`.",  # noqa: E501
    "model_dispatch.auto_mode_requires_runtime_marker": "Whether a delegation in the mode `auto` says so even where it names a model.",  # noqa: E501
    "retry_budgets.max_retries_per_phase": "Retries of one phase, all classes of failure together.",
    "retry_budgets.transient_max": "Retries of a temporary failure: no answer, a timeout, a busy service.",  # noqa: E501
    "retry_budgets.fixable_max": "Retries of a failure the executor can fix.",
    "retry_budgets.needs_replan_max": "How often one phase may send the plan back.",
    "retry_budgets.escalate_max": "Retries of a failure that a person must settle; 0 means that a person is asked at once.",  # noqa: E501
    "retry_budgets.model_unavailable_max": "Retries when the model is not available.",
    "retry_budgets.per_wave_transient_reduction_threshold": (
        "How many phases of one wave must have a temporary failure before later waves run fewer "
        "phases at once."
    ),
    "retry_budgets.per_wave_parallelism_reduction_factor": "The share of the parallelism that is left then, rounded up.",  # noqa: E501
    "stagnation_detection.same_phase_failure_escalation_threshold": "Failures of one class in a row after which a person is asked, whatever the budgets say.",  # noqa: E501
    "stagnation_detection.same_classification_repeat_escalation": "Whether such failures are counted.",  # noqa: E501
    "session_telemetry.template": (
        "A project's own template for a log entry; its additional sections are added to each entry."
    ),
    "session_telemetry.log_file": "The log of sessions.",
    "session_telemetry.write_timing": "The entry is written before the summary; no other value is allowed.",  # noqa: E501
    "session_telemetry.archive_threshold_entries": "Entries that stay in the log; older ones go to a file beside it.",  # noqa: E501
    "tool_output_policy.spill_directory_template": "Where an executor may leave long output; it stays in its copy of the code.",  # noqa: E501
    "tool_output_policy.task_slug_pattern": "What the task's name in paths must look like.",
    "tool_output_policy.purge_timing": "Fixed. Nothing that was left there outlives its phase.",
    "tool_output_policy.max_total_mb": "How much of it one dispatch may leave.",
    "plan_review_gate_trigger_conditions.min_phases": "A plan with at least this many phases is reviewed.",  # noqa: E501
    "plan_review_gate_trigger_conditions.confidence_threshold": "A plan whose planner is less confident than this is reviewed.",  # noqa: E501
    "plan_review_gate_trigger_conditions.high_risk_scope_triggers_review": "Whether a plan with high-risk work is reviewed.",  # noqa: E501
    "plan_review_gate_trigger_conditions.applicable_high_impact_risk_triggers_review": "Whether a plan with an unresolved high risk is reviewed, by all three reviewers.",  # noqa: E501
    "batch_approval.approval_per": "`wave`: one approval for all phases of a wave. `phase`: one each.",  # noqa: E501
    "batch_approval.exception_destructive_phases": "A wave with high-risk work is approved phase by phase.",  # noqa: E501
    "budget_defaults.enabled": "Whether the caps below apply.",
    "budget_defaults.token_cap": "Tokens in and out together.",
    "budget_defaults.wall_clock_s": "Seconds that the run may work.",
    "budget_defaults.cost_usd": (
        "Cost in US dollars; a dispatch that does not report its cost counts as `[budget] "
        "estimate_usd`."
    ),
    "budget_defaults.enable_reflection": "Whether executors are asked what they learnt in a phase; the answer goes into the log.",  # noqa: E501
    "resource_profiles.*.max_parallel_agents": "Phases at once, for plans of that `resource_profile`.",  # noqa: E501
    "resource_profiles.*.phase_file_limit": "Files that one phase may name; a plan with more goes back.",  # noqa: E501
    "resource_profiles.*.max_changed_files_default": "Files that one phase may change.",
    "resource_profiles.*.context_packet_required_tiers": "Tiers whose plans must name a context packet.",  # noqa: E501
    "resource_profiles.*.research_brief_required_for_non_trivial_research": "Whether a researcher is asked first if the plan names no brief.",  # noqa: E501
    "resource_profiles.*.code_context_pack_preferred": "Whether a code mapper is asked first if the plan names no pack.",  # noqa: E501
    "resource_profiles.*.require_phase_task_card": "Whether executors also get the short form of their phase.",  # noqa: E501
    "resource_profiles.*.budget_exceeded_classification": "The class of a phase that changed too many files.",  # noqa: E501
    "final_review_gate.enabled_by_default": "Whether everything is reviewed once more at the end.",
    "final_review_gate.auto_trigger_tiers": "Tiers for which this always happens.",
    "final_review_gate.allow_user_trigger": "Whether `--final-review` counts.",
    "final_review_gate.max_fix_cycles": "How often its findings are fixed before a person is asked.",  # noqa: E501
    "memory_hygiene.notes_md_max_lines": "Lines of `NOTES.md`.",
    "memory_hygiene.archive_completed_plans_threshold_days": "Days after which Podium suggests moving the documents of a finished plan to the archive.",  # noqa: E501
    "memory_hygiene.archive_eligible_statuses": "The statuses of plans for which it does; a plan that ended well counts as `DONE`.",  # noqa: E501
    "memory_hygiene.repo_memory_dedup_required": "Whether a person is asked about a new fact that looks like a known one.",  # noqa: E501
    "memory_hygiene.memory_content_types": "Categories of facts that are kept; what researchers find is `project`.",  # noqa: E501
    "memory_hygiene.session_notes_template_path": "A project's own sections of `NOTES.md`.",
    "memory_hygiene.stale_memory_freshness_days": (
        "Days after which the planner is told to check a remembered fact again before relying on "
        "it."
    ),
    "compaction.max_consecutive_failures": "How often in a row an agent may fail because it has more to read than it can hold.",  # noqa: E501
    "compaction.circuit_breaker_action": "After that a person is asked; no other value is allowed.",
    "task_cache.enabled": "Whether phases are compared with those of earlier plans.",
    "task_cache.lookback_phases": "How many of the latest phases are compared.",
    "task_cache.similarity_scope": "By title and files; no other value is allowed.",
    "task_cache.recommendation_only": "`true`: a remark at the approval. `false`: such a wave is approved phase by phase.",  # noqa: E501
}
"""Keys of `governance/runtime-policy.json`; `*` stands for a tier or a profile."""
