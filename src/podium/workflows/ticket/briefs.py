"""What each role is told besides its definition: its scope in one sentence, and the documents a
planner would open first.
"""

from __future__ import annotations

from collections.abc import Mapping

from podium.workflows.ticket.request.naming import DOCS

SCOPE: Mapping[str, str] = {
    "interpreter": "You clarify the request and write prompt.yaml; code, plans and branches are not yours.",  # noqa: E501
    "initializer": (
        "You describe the code in the documents you are given; you plan, change and review nothing."
    ),
    "planner": "You research and write plan.md and tasks.yaml; you change no code and review nothing.",  # noqa: E501
    "splitter": "You cut a finished plan into tasks.yaml; you research, decide and change nothing.",
    "task-executor": (
        "You do the one task you are given, in the files it lists; you plan, commit and review "
        "nothing."
    ),
    "developer": (
        "You do the one task you are given, in the files it lists; you plan, commit and review "
        "nothing."
    ),
    "reviewer": (
        "You judge finished work by its criteria and the evidence; you change nothing and design "
        "nothing."
    ),
}
PENALTY = (
    "What you do outside of your scope is undone, kept for people to see, and counted against "
    "your work."
)
QUOTED: Mapping[str, int | None] = dict(zip(DOCS, (80, 40, None), strict=True))
"""How many first lines of each document a planner's brief contains; None means all of them."""


def opening(role: str) -> tuple[str, ...]:
    """The first lines of every prompt: plain statements, since the program itself enforces the
    bounds.
    """
    name = role if role == "task-executor" else role.capitalize()
    return (
        f"ROLE ENFORCEMENT: You are {name}.",
        f"VIOLATION PENALTY: {PENALTY}",
        f"SCOPE REMINDER: {SCOPE[role]}",
    )
