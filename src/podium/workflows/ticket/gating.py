"""The git gate in a run: from facts to a decision, a person's answer, the actions, and their
result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from podium.core.errors import InputError
from podium.core.globs import matches
from podium.core.verdict import Judgement
from podium.workflows.ticket.git import changes as git_changes
from podium.workflows.ticket.git import gate as git_gate
from podium.workflows.ticket.git.gate import Ask, GitFacts, Proceed, Refuse
from podium.workflows.ticket.noting import Evidence, noted, told, warned
from podium.workflows.ticket.request import naming
from podium.workflows.ticket.run import TicketRun
from podium.workflows.ticket.tasks import document as tasks_document
from podium.workflows.ticket.tasks import validation

Texts = Mapping[str, str | None]
SHOWN = 12
"""How many changed files a question names."""
_MEMBERS = (
    "repository",
    "unborn",
    "branch",
    "default",
    "operation",
    "remote",
    "ahead",
    "behind",
    "target_exists",
    "target_owned",
    "target_worktree",
    "loose",
)


def facts_of(run: TicketRun, found: Evidence) -> GitFacts:
    seen = told(found, "checkout")
    # What this run wrote is not a person's change: its own documents and, at a second passage, the
    # code of tasks.
    return GitFacts(
        target=run.branch,
        changes=git_changes.foreign(seen.get("changes", ()), (*run.touched, *run.refreshed)),
        unmerged=tuple(seen.get("unmerged", ())),
        **{name: seen[name] for name in _MEMBERS if name in seen},
    )


def claimed(run: TicketRun, texts: Texts, found: Evidence) -> tuple[str, ...]:
    """For a run that continues from its files: changes on its branch that its tasks made,
    according to tasks.yaml.
    """
    seen, text = told(found, "checkout"), texts.get(run.paths.tasks(run.iteration))
    if not run.was_gated or seen.get("branch") != run.branch or text is None:
        return ()
    try:
        graph = tasks_document.read(text, run.paths.tasks(run.iteration))
    except InputError:
        return ()
    done = [each for each in graph.tasks if each.attempt or each.status == "ACCEPTED"]
    patterns = [
        ".gitignore",
        *(path for each in done for path in validation.allowed(each, graph.policy)),
    ]
    return tuple(path for path in seen.get("changes", ()) if matches(path, patterns))


def look(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    touched = sorted({*run.touched, *claimed(run, texts, found)})
    run = replace(run, touched=touched)
    decided = git_gate.decide(
        facts_of(run, found), run.answers, resuming=run.gated or run.was_gated
    )
    started = (noted(run.iteration, "git.gate.start", f"branch {run.branch}"),)
    match decided:
        case Refuse(reason, mend):
            said = f"{reason}; {mend}" if mend else reason
            return Judgement("fail", "refused", said, "refused", facts=started, stop="git")
        case Ask(key, question, choices, paths):
            more = f" and {len(paths) - SHOWN} more" if len(paths) > SHOWN else ""
            about = (
                f"Changed: {', '.join(paths[:SHOWN])}{more}." if paths else f"Branch {run.branch}."
            )
            return Judgement(
                "ok",
                key,
                f"{question} ({', '.join(choices)})",
                f"ask_{key}",
                sets={"question": about},
                facts=started,
            )
        case Proceed(actions, warnings, carried, give_back):
            known, facts = warned(run, warnings)
            sets = {
                "actions": list(actions),
                "carried": list(carried),
                "give_back": give_back or "stash" in actions or run.give_back,
                "warnings": known,
                "touched": touched,
            }
            return Judgement(
                "ok",
                " ".join(actions) or "nothing to do",
                "",
                "go",
                sets=sets,
                facts=(*started, *facts),
            )


def left(found: Evidence) -> list[str]:
    """What was put aside and could not be given back."""
    return [str(each["said"]) for each in found if each.get("left")]


def moved(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """The actions are done; the checkout must now be on the run's branch."""
    seen = told(found, "checkout")
    if seen.get("branch") != run.branch:
        return Judgement(
            "fail",
            "elsewhere",
            f"the checkout is on {seen.get('branch') or 'no branch'}, not on {run.branch}",
            "refused",
            stop="git",
        )
    said = [
        f"{each['name']}: {each['said']}" for each in found if str(each["name"]).startswith("git ")
    ]
    ignore = texts.get(".gitignore")
    wanted = naming.ignored(ignore)
    writes = {".gitignore": wanted} if wanted != ignore else {}
    # If it was carried along, it also holds a person's own lines, which the run must not commit.
    touched = sorted({*run.touched, *(path for path in writes if path not in run.carried)})
    known, warnings = warned(run, left(found))
    facts = (noted(run.iteration, "git.gate.complete", "; ".join(said) or f"on {run.branch}"),)
    return Judgement(
        "ok",
        run.branch,
        "; ".join(said),
        sets={"head": seen.get("head", ""), "touched": touched, "warnings": known},
        facts=(*facts, *warnings),
        writes=writes,
    )
