"""The known agents: the versions they are tested with, and what each can do."""

from __future__ import annotations

from scripts.pages.tables import code, rows

from podium.agents.profiles.catalog import PROFILES


def known_agents() -> str:
    body = [
        (
            code(name),
            each.title,
            ", ".join(each.versions),
            "headless" + (f", acp ({code(each.acp.program)})" if each.acp else ""),
            " ".join(map(code, each.keys)),
            each.note,
        )
        for name, each in PROFILES.items()
    ]
    return rows(
        ("Name", "", "Tried with", "Transports", "Variables it gets if they are set", "Note"), body
    )


def agent_abilities() -> str:
    body = [
        (
            each.title,
            "tool" if each.takes_tools else "file, last line",
            "no" if each.stream == "text" else "yes" if each.tells_tokens else "tools",
            "yes" if each.resumes else "no",
            " ".join(map(code, each.ambient))
            + (f" (always {' '.join(map(code, each.always))})" if each.always else ""),
            " ".join(code(f"~/{path}") for path in each.login),
        )
        for each in PROFILES.values()
    ]
    head = (
        "",
        "Reports by",
        "Tells its tools and tokens",
        "Sessions go on",
        "Reads, where `ambient`",
        "Login that is lent",
    )
    return rows(head, body)
