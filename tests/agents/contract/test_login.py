"""A login of a person's, lent to a real agent in a room: it opens the model's door, and nothing
else is there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.confine.rooms import working
from tests.agents.contract.drivers import HEADLESS, MODELS, Driver, scrubbed
from tests.agents.contract.scripts import SCRIPTS
from tests.agents.contract.worlds import SECRET, World, world
from tests.agents.jobs import run

from podium.agents.confine.confinement import Confinement
from podium.agents.confine.room import Room
from podium.agents.headless.agent import HeadlessAgent
from podium.agents.process import Supervisor
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.staging import Options
from podium.agents.protocol import Answer

pytestmark = [pytest.mark.agents, pytest.mark.timeout(120)]
FAR = 4_000_000_000_000
LOGINS: Mapping[str, tuple[str, Mapping[str, Any], str]] = {
    "claude": (
        ".claude/.credentials.json",
        {
            "claudeAiOauth": {
                "accessToken": "sk-ant-oat01-lent",
                "refreshToken": "r",
                "expiresAt": FAR,
                "scopes": ["user:inference"],
            }
        },
        "sk-ant-oat01-lent",
    ),
    "codex": (
        ".codex/auth.json",
        {"OPENAI_API_KEY": "sk-lent", "tokens": None, "last_refresh": None},
        "sk-lent",
    ),
}
"""Where the login lies, what it is, and what the model then sees. All of them are made up."""


def lent(here: World, name: str) -> Answer:
    path, login, _ = LOGINS[name]
    mine = here.root / "me"
    (mine / path).parent.mkdir(parents=True)
    (mine / path).write_text(json.dumps(login))
    (mine / "secret").write_text(SECRET)
    base = {
        "claude": ("ANTHROPIC_BASE_URL", here.model.url),
        "codex": ("OPENAI_BASE_URL", f"{here.model.url}/v1"),
    }[name]
    environ = {**scrubbed(here.driver, mine), "HOME": str(mine), base[0]: base[1]}
    agent = HeadlessAgent(
        name, PROFILES[name], Options(model=MODELS.get(name, ""), environ=environ)
    )
    # A lent login comes with the open network; not here: with one that is made up nobody shall be
    # asked.
    room = Room(
        folder=here.folder,
        scratch=here.root / "scratch",
        writable=(here.folder, *agent.own_folders(False)),
        network="model",
        model=here.model.socket,
        port=here.model.port,
    )
    supervise = Supervisor(enclose=Confinement(working("bubblewrap")).enclosure(room))
    return run(agent.perform(replace(here.job("login"), model=None, supervise=supervise)))


@pytest.mark.parametrize(
    "driver",
    [each for each in HEADLESS if each.name.partition("-")[0] in LOGINS],
    ids=lambda each: each.name,
)
def test_a_lent_login_reaches_the_model_and_the_rest_of_home_is_not_there(
    driver: Driver, tmp_path: Path
) -> None:
    name = driver.name.partition("-")[0]
    with world(tmp_path, driver, SCRIPTS, confined=True) as here:
        answer = lent(here, name)
        assert answer.failure is None
        assert (here.folder / "hello.txt").exists()
        assert {each.key for each in here.model.calls if each.shape} == {LOGINS[name][2]}
        assert not here.seen_by_model(SECRET)
        assert os.path.exists(here.root / "me" / LOGINS[name][0])
