"""A pull request, opened with the person's own program and only if the policy names one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from podium.core.effects import DELIVERED
from podium.core.verdict import Judgement
from podium.workflows.ticket.noting import Evidence, warned
from podium.workflows.ticket.run import TicketRun

PROGRAMS = ("gh", "glab")


def commands(run: TicketRun) -> Sequence[str]:
    """Push the run's own branch to `origin`, then open the request unless there already is one."""
    if run.proposes not in PROGRAMS:
        return ()
    branch, title = shlex.quote(run.branch), shlex.quote(run.summary)
    body = shlex.quote(f"\n\n{run.original.strip()}\n\nTicket: {run.jira}")
    body = f'"${DELIVERED}"{body}'
    known = {
        "gh": (
            f"gh pr view {branch} --json url --jq .url",
            f"gh pr create --head {branch} --title {title} --body {body}",
        ),
        "glab": (
            f"glab mr view {branch}",
            f"glab mr create --source-branch {branch} --title {title} --description {body} --yes",
        ),
    }
    there, make = known[run.proposes]
    # No refspec with a plus and no --force: what is already there is never replaced.
    return (
        f"git push -u origin refs/heads/{branch}:refs/heads/{branch}",
        f"{there} 2>/dev/null || {make}",
    )


def proposed(run: TicketRun, _texts: Mapping[str, str | None], found: Evidence) -> Judgement:
    """A failed request undoes nothing: the commit exists, and the person is told."""
    if run.proposes not in PROGRAMS:
        return Judgement("ok", "not asked for")
    ran = [each for each in found if "command" in each]
    failed = next((each for each in ran if each["exit"] != 0), None)
    if failed is None:
        said = str(ran[-1].get("output", "")).strip() if ran else ""
        link = said.rpartition("\n")[2]
        return Judgement("ok", link or "opened", sets={"proposal": link})
    why = _why(run, failed)
    known, facts = warned(run, [why])
    return Judgement("ok", "not opened", why, sets={"warnings": known}, facts=facts)


def _why(run: TicketRun, failed: Mapping[str, object]) -> str:
    what = f"no pull request was opened for {run.branch}"
    if failed["exit"] in {None, 127}:
        return f"{what}: {run.proposes} is not on this machine"
    last = str(failed.get("output", "")).strip().rpartition("\n")[2]
    return f"{what}: `{str(failed['command'])[:60]}` exits {failed.get('exit')}" + (
        f": {last}" if last else ""
    )
