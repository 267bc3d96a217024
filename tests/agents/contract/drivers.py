"""Who can be driven through the contract: each real agent that is installed, by each transport,
and what it can.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from podium.agents.acp.agent import AcpAgent
from podium.agents.acp.launch import Launch, Plain
from podium.agents.acp.profiled import Profiled
from podium.agents.conformance.finding import MODELS
from podium.agents.conformance.subject import Subject
from podium.agents.headless.agent import HeadlessAgent
from podium.agents.profiles.catalog import PROFILES
from podium.agents.profiles.staging import Options, endpoint_of
from podium.agents.protocol import Agent, Job

ROOT = Path(__file__).parents[3]
HOME = ROOT / ".agents"
FAKE_PROGRAM = ROOT / "tests" / "fakes" / "acp_agent.py"
Driver = Subject
NAMES = ("claude", "codex", "gemini", "opencode", "copilot", "qwen", "kimi")
SCRIPTS = ("gemini", "qwen", "kimi")
"""Those that are no programs of their own, but Node's."""


def installed() -> dict[str, Any]:
    """What `make agents` left, program by program."""
    try:
        found = json.loads((HOME / "installed.json").read_text())
    except FileNotFoundError:
        return {}
    assert isinstance(found, dict)
    return found


def why_missing(*names: str) -> str:
    found = installed()
    for name in names:
        told = found.get(name, {"missing": "`make agents` has not been run"})
        if "missing" in told:
            return f"{name} is not installed: {told['missing']}"
    return ""


def model_of(name: str) -> str:
    return MODELS.get(name, "scripted" if PROFILES[name].needs_model else "")


def _options(name: str, given: Mapping[str, Any]) -> Options:
    known = {
        key: value
        for key, value in given.items()
        if key in {"turns", "report", "permissions", "ambient"}
    }
    return Options(model=model_of(name), **known)


def _headless(name: str) -> Driver:
    profile = PROFILES[name]

    def make(**given: Any) -> Agent:
        limits = {key: value for key, value in given.items() if key in {"timeout_s", "silence_s"}}
        return HeadlessAgent(name, profile, _options(name, given), **limits)

    return Driver(
        f"{name}-headless",
        make,
        path=f"{HOME / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        missing=why_missing(name, *(("node",) if name in SCRIPTS else ())),
        resumes=profile.resumes,
        schema=profile.stream in {"claude", "codex"},
        program=name,
        always=profile.always,
    )


def _acp(name: str) -> Driver:
    profile = PROFILES[name]
    assert profile.acp is not None
    adapter = profile.acp.program

    def make(**given: Any) -> Agent:
        return AcpAgent(
            name, Profiled(profile, _options(name, given)), timeout_s=given.get("timeout_s")
        )

    node = ("node",) if name in SCRIPTS or adapter != name else ()
    return Driver(
        f"{name}-acp",
        make,
        path=f"{HOME / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        missing=why_missing(name, *((adapter,) if adapter != name else ()), *node),
        resumes=profile.acp.resumes,
        tools=profile.acp.mcp == "stdio",
        program=adapter,
        always=(*profile.always, *profile.acp.always),
    )


HEADLESS = tuple(map(_headless, NAMES))
ACP = tuple(map(_acp, NAMES))


def fake(*words: str) -> Driver:
    """The agent of our own, so that the contract is always tried, whatever is installed; words
    make it break it.
    """

    def prepare(job: Job) -> Launch:
        endpoint = endpoint_of(job.model)
        assert endpoint is not None
        own = {"MODEL_URL": endpoint.url, "MODEL_KEY": endpoint.key, "HOME": str(job.home)}
        job.home.mkdir(exist_ok=True)
        launch = Plain((sys.executable, str(FAKE_PROGRAM), *words), own)(job)
        return replace(launch, needs=(*launch.needs, Path(sys.prefix)))

    def make(**given: Any) -> Agent:
        limits = {key: value for key, value in given.items() if key in {"timeout_s", "silence_s"}}
        return AcpAgent(
            "fake", lambda job: replace(prepare(job), turns=given.get("turns")), **limits
        )

    return Driver("fake-acp", make, path=os.environ["PATH"], program=FAKE_PROGRAM.name)


FAKE = fake()


def scrubbed(driver: Driver, home: Path) -> dict[str, str]:
    return driver.scrubbed(str(home))
