"""Files of an older way of keeping state; a run is never resumed beside them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from podium.core.globs import matches

MIXED = (
    "ERROR: Mixed artifact model detected. Migrate legacy task state into tasks.yaml and "
    "remove legacy derived "
    "artifacts before resume. STOPPING."
)
PATTERNS = (
    "startup_context.yaml",
    "context_compact.yaml",
    "validation_plan.yaml",
    "task_packets",
    "logs/task_*_summary.yaml",
    "summaries/task_*_summary.yaml",
)


def legacy_files(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """Such files among the project's paths, anywhere below the ticket's folder."""
    wide = [form for each in PATTERNS for form in (f"{folder}/{each}", f"{folder}/**/{each}")]
    return tuple(sorted(path for path in paths if matches(path.rstrip("/"), wide)))


def refusal(paths: Collection[str], folder: str) -> str:
    """Why a resume must stop, with the files; empty if it need not. Without progress.yaml there
    is no state to mix them with.
    """
    found = legacy_files(paths, folder)
    return (
        f"{MIXED} Found: {', '.join(found)}" if found and f"{folder}/progress.yaml" in paths else ""
    )


def warning(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """A new run's warning about them: it does not read them, and cannot be resumed beside them."""
    found = legacy_files(paths, folder)
    return (
        (
            (
                "files of an older way to keep state are not read, and stop a resume; move them "
                f"away: {', '.join(found)}"
            ),
        )
        if found
        else ()
    )
