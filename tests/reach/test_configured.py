"""`[notify]` as ways, and what is wrong with it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from podium.reach.configured import channels, faults, wanted
from podium.settings.values import Notify

PATH = {"PATH": os.environ["PATH"]}


def test_nobody_is_told_where_nothing_is_set_and_no_desktop_is_there(tmp_path: Path) -> None:
    assert not list(channels(Notify(), tmp_path, PATH))


def test_every_way_that_is_set_is_used(tmp_path: Path) -> None:
    notify = Notify(desktop="on", webhook="https://h/x", command=("cat",))
    assert [each.name for each in channels(notify, tmp_path, PATH)] == [
        "desktop",
        "webhook",
        "command",
    ]


@pytest.mark.parametrize("mark", [{"PODIUM_AGENT": "1"}, {"PODIUM_DISPATCH": "x"}])
def test_under_an_agent_nobody_is_told(tmp_path: Path, mark: dict[str, str]) -> None:
    notify = Notify(webhook="https://h/x", command=("cat",))
    assert len(wanted(notify, tmp_path, PATH).channels) == 2
    assert not wanted(notify, tmp_path, {**PATH, **mark}).channels


@pytest.mark.parametrize(
    ("notify", "words"),
    [
        (Notify(command=("no-such-program",)), "no-such-program is not found"),
        (Notify(webhook="h/x"), "must begin with https://"),
        (Notify(webhook="http://h/x", webhook_secret_env="HOOK"), "is not encrypted"),
        (Notify(webhook="https://h/x"), "is not signed"),
        (Notify(webhook="https://h/x", webhook_secret_env="NONE"), "NONE is not set"),
        (Notify(webhook_secret_env="HOOK"), "is set without a webhook"),
    ],
)
def test_what_is_wrong_is_told_with_a_way_out(tmp_path: Path, notify: Notify, words: str) -> None:
    found = list(faults(notify, tmp_path, {**PATH, "HOOK": "x"}))
    assert any(words in each.what for each in found)
    assert all(each.mend for each in found)


def test_a_good_webhook_has_no_fault(tmp_path: Path) -> None:
    notify = Notify(webhook="https://h/x", webhook_secret_env="HOOK", command=("cat",))
    assert not list(faults(notify, tmp_path, {**PATH, "HOOK": "x"}))
