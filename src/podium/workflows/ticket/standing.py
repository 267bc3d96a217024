"""What the engine asks about a run of a ticket besides its steps: its files, its branch, what a
person may undo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from podium.core.history import History
from podium.core.run import Run, Status
from podium.core.workflow import About, Projection, Workflow
from podium.workflows.protected import GUARDED
from podium.workflows.ticket import contracts, ending, files, legacy
from podium.workflows.ticket.contracts import ticket
from podium.workflows.ticket.git.changes import OWN

GROUPS = frozenset(
    {"next_group", "develop", "validate", "review_task", "review", "judge", "accept", "commit"}
)
"""Steps at which tasks.yaml determines what the run does."""


class Standing(Workflow):
    def given(self, run: Run) -> Sequence[str]:
        """A run that continues from its files finds the plan of its iteration there."""
        at = ticket(run)
        return [at.paths.plan(at.iteration)] if at.resumes_at else ()

    def unblocked(self, run: Run) -> None:
        """A person sends the run on: used-up attempts are renewed, and a question answered with
        `abort` is asked again.
        """
        at = ticket(run)
        at.forgiven = at.step == "next_group"
        at.answers = {name: said for name, said in at.answers.items() if said != "abort"}
        if at.step == "git_move":  # the planned actions may no longer fit the checkout
            at.step = "git_look"
            at.visits["git_look"] = at.visits.get("git_look", 0) + 1
        if at.step == "settle":
            at.settled, at.by_hand = at.settled + 1, True

    def rewound(self, run: Run) -> None:
        ticket(run).anew = run.step == "plan"

    def restored(self, run: Run) -> None:
        """What follows the step has not happened: tasks.yaml too must say what it said then."""
        at = ticket(run)
        at.restore = (
            {name: list(each) for name, each in at.tasks.items()} if at.step in GROUPS else {}
        )

    def obstacle(self, run: Run, below: Callable[[str], Sequence[str]]) -> str:
        folder = ticket(run).paths.folder
        return legacy.refusal(below(folder), folder)

    def own(self, run: Run) -> Sequence[str]:
        return OWN

    def home(self, run: Run) -> str:
        return ticket(run).branch if ticket(run).gated else ""

    def parting(self, run: Run) -> Sequence[str]:
        return ("unstash",) if ticket(run).give_back else ()

    def projections(self, run: Run, history: History, today: str) -> Sequence[Projection]:
        return files.projections(ticket(run), history)

    def artifacts(self, run: Run) -> Mapping[str, str]:
        return files.artifacts(ticket(run))

    def about(self, run: Run, history: History, today: str) -> About:
        at = ticket(run)
        return About(
            f"{at.jira}: {at.text}",
            {"Ticket": at.jira, "Request": at.text, "Date": today},
            (at.note,) if at.note else (),
        )

    def roles(self) -> Mapping[str, str]:
        return dict.fromkeys(files.ROLES, "")

    def protected(self, run: Run) -> Sequence[str]:
        return (*GUARDED, *contracts.OWN)

    def closing(self, run: Run) -> str:
        at = ticket(run)
        if at.status is not Status.COMPLETE:
            return ""
        return ending.success(
            jira=at.jira,
            iteration=at.iteration,
            tasks=len(at.tasks),
            branch=at.branch,
            build=at.proven.get("build", "NOT RUN"),
            tests=at.proven.get("tests", "NOT RUN"),
        )
