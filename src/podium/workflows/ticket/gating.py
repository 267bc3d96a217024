"""The git gate in a run: facts to a decision, a person's answer, the acts, and how they went."""

from __future__ import annotations

from collections.abc import Mapping

from podium.core.verdict import Judgement
from podium.workflows.ticket import git_changes, git_gate, naming
from podium.workflows.ticket.git_gate import Ask, GitFacts, Proceed, Refuse
from podium.workflows.ticket.noting import Evidence, noted, told
from podium.workflows.ticket.run import TicketRun

Texts = Mapping[str, str | None]
_MEMBERS = ("repository", "unborn", "branch", "default", "operation", "remote", "ahead", "behind", "target_exists",
            "target_owned", "target_worktree")  # fmt: skip


def facts_of(run: TicketRun, found: Evidence) -> GitFacts:
    seen = told(found, "checkout")
    own = tuple(each for each in seen.get("changes", ()) if each.startswith(f"{run.paths.folder}/") or each == ".gitignore")
    return GitFacts(
        target=run.branch,
        changes=git_changes.foreign(seen.get("changes", ()), own),
        unmerged=tuple(seen.get("unmerged", ())),
        **{name: seen[name] for name in _MEMBERS if name in seen},
    )


def look(run: TicketRun, _texts: Texts, found: Evidence) -> Judgement:
    decided = git_gate.decide(facts_of(run, found), run.answers, resuming=run.gated)
    started = (noted(run, "git.gate.start", f"branch {run.branch}"),)
    match decided:
        case Refuse(reason, mend):
            return Judgement("fail", "refused", f"{reason}; {mend}" if mend else reason, "refused", stop="git")
        case Ask(key, question, _, paths):
            shown = f"{question} ({', '.join(paths[:8])}{' …' if len(paths) > 8 else ''})" if paths else question
            return Judgement("ok", key, shown, f"ask_{key}", facts=started)
        case Proceed(actions, warnings, carried, give_back):
            sets = {"actions": list(actions), "carried": list(carried), "give_back": give_back or run.give_back,
                    "warnings": [*run.warnings, *warnings][-50:]}  # fmt: skip
            return Judgement("ok", " ".join(actions) or "nothing to do", "", "go", sets=sets, facts=started)


def moved(run: TicketRun, texts: Texts, found: Evidence) -> Judgement:
    """The acts are done; the checkout must be on the run's branch now."""
    seen = told(found, "checkout")
    if seen.get("branch") != run.branch:
        return Judgement("fail", "elsewhere", f"the checkout is on {seen.get('branch') or 'no branch'}, not on {run.branch}", "refused", stop="git")
    said = [f"{each['name']}: {each['said']}" for each in found if str(each["name"]).startswith("git ")]
    ignore = texts.get(".gitignore")
    wanted = naming.ignored(ignore)
    writes = {".gitignore": wanted} if wanted != ignore else {}
    touched = sorted({*run.touched, *writes})
    facts = (noted(run, "git.gate.complete", "; ".join(said) or f"on {run.branch}"),)
    return Judgement("ok", run.branch, "; ".join(said), sets={"head": seen.get("head", ""), "touched": touched}, facts=facts, writes=writes)
