"""Pages that say one thing: an error, or a request to sign in."""

from __future__ import annotations

from podium.web.pages.frame import Frame
from podium.web.pages.rendering import render


def error(frame: Frame | None, status: int, title: str, detail: str) -> str:
    return render("message.html", frame=frame, live="", title=title, status=status, detail=detail)


def sign_in(project: str, remote: bool, problem: str = "", action: str = "/login") -> str:
    return render(
        "sign_in.html",
        frame=None,
        live="",
        title="Sign in",
        project=project,
        remote=remote,
        problem=problem,
        action=action,
    )
