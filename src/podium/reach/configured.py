"""`[notify]` as channels to reach people, and what is wrong with it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from podium.core.errors import Fault
from podium.reach.channel import Channel, Undelivered
from podium.reach.courier import Wanted
from podium.reach.notice import EVENTS
from podium.reach.program import Desktop, Hook, has_desktop, missing
from podium.settings.environment import under_agent
from podium.settings.values import Notify
from podium.verify.redact import Redactor


def wanted(notify: Notify, project: Path, environ: Mapping[str, str]) -> Wanted:
    """What to report. An agent that tries out Podium must not disturb people, so then it is
    nothing.
    """
    chosen = [] if under_agent(environ) else list(channels(notify, project, environ))
    return Wanted(chosen, frozenset(notify.events or EVENTS), notify.link, Redactor(environ).data)


def channels(notify: Notify, project: Path, environ: Mapping[str, str]) -> Iterator[Channel]:
    if notify.desktop == "on" or (notify.desktop == "auto" and has_desktop(environ)):
        yield Desktop(notify.timeout_s, environ)
    if notify.webhook:
        from podium.reach.webhook import Webhook  # noqa: PLC0415 - loads TLS

        yield Webhook(notify.webhook, notify.webhook_secret_env, notify.timeout_s, environ)
    if notify.command:
        yield Hook(notify.command, project, notify.timeout_s, environ)


def faults(notify: Notify, project: Path, environ: Mapping[str, str]) -> Iterator[Fault]:
    """What would prevent a notice from arriving, as far as that can be seen without sending one."""
    path = environ.get("PATH", os.defpath)
    if notify.desktop == "on" and not shutil.which(missing(), path=path):
        yield Fault(
            "notify.desktop", f"{missing()} is not on PATH", 'install it, or set desktop = "off"'
        )
    if notify.command and not (
        shutil.which(notify.command[0], path=path) or (project / notify.command[0]).is_file()
    ):
        yield Fault(
            "notify.command", f"{notify.command[0]} is not found", "[notify] command in podium.toml"
        )
    if notify.webhook:
        yield from _webhook_faults(notify, environ)
    elif notify.webhook_secret_env:
        yield Fault(
            "notify.webhook_secret_env",
            "is set without a webhook",
            "[notify] webhook in podium.toml",
        )


def _webhook_faults(notify: Notify, environ: Mapping[str, str]) -> Iterator[Fault]:
    from podium.reach.posting import LOOPBACK  # noqa: PLC0415 - likewise
    from podium.reach.webhook import checked  # noqa: PLC0415

    try:
        place = checked(notify.webhook)
    except Undelivered as fault:
        yield Fault("notify.webhook", str(fault), "[notify] webhook in podium.toml")
        return
    if place.scheme == "http" and place.hostname not in LOOPBACK:
        yield Fault(
            "notify.webhook",
            "is not encrypted: anybody in between can read what runs ask",
            "use https://",
        )
    if not notify.webhook_secret_env:
        yield Fault(
            "notify.webhook",
            "is not signed: a receiver cannot know who sent it",
            "[notify] webhook_secret_env names a variable",
        )
    elif not environ.get(notify.webhook_secret_env):
        yield Fault(
            "notify.webhook_secret_env",
            f"{notify.webhook_secret_env} is not set; nothing is sent",
            "set it where Podium runs",
        )
