"""Makes the folders of runs at rest that `tests/upgrades` resumes; run by `scripts/fixtures.py`.

Folders of one workflow have most bytes in common, and xz keeps those once: so they are in one
archive, and what comes later in one more. An archive that is there is never written again. Nothing
in them names the machine they were made on.
"""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from pathlib import Path

from tests.fakes.project import Clock, Project
from tests.upgrades.archives import FOLDER, INDEX, index, of_workflow, pointer, shown
from tests.upgrades.going_on import PATIENCE, step_on
from tests.upgrades.journeys import JOURNEYS, STOPS, Journey, Stop

from podium.agents.protocol import Answer, Job
from podium.agents.scenario_file import load as load_scenario
from podium.agents.scripted import ScriptedAgent
from podium.core import keys
from podium.core.run import ENDED
from podium.state.journal_file import decode
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions


class Deadly(ScriptedAgent):
    """One with whom the whole process dies where it is asked for that key."""

    dies_at = ""

    async def perform(self, job: Job) -> Answer:
        if self.dies_at and keys.names(self.dies_at, job.brief.key):
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().perform(job)


def with_agent(project: Project, dies_at: str = "") -> Project:
    """The same project, whose agents are those of the scenario beside it: its run names no path
    of the machine.
    """
    agent = Deadly(load_scenario(project.root.parent / "scenario.json"), project.root)
    agent.dies_at = dies_at
    parts = Parts(
        project.environ,
        clock=project.clock,
        token=lambda: "0001",
        agents=lambda _: agent,
        cwd=project.root,
    )

    class Played(type(project)):  # type: ignore[misc]
        @property
        def app(self) -> App:
            return App(self.root, parts=parts)

    return Played(project.root, project.home, project.clock, project.run_id)  # type: ignore[no-any-return]


def start(journey: Journey, stop: Stop, base: Path) -> Project:
    """The run as the stop leaves it."""
    bare = journey.make(base)
    scenario = {**journey.scenario, "defaults": {"behave": "well"}}
    for part, more in (("agents", stop.agents), ("keys", stop.keys)):
        scenario[part] = {**scenario.get(part, {}), **more}
    (base / "scenario.json").write_text(json.dumps(scenario, ensure_ascii=False))
    project = with_agent(bare, stop.dies_at)
    stop.before(project)
    if stop.dies_at:
        _die(journey, stop, project)
    else:
        _go(journey, stop, project)
    stop.after(project)
    assert not stop.at or stop.at in standing(project), (
        f"{journey.workflow} {stop.name}: it stands at {standing(project)}"
    )
    return project


def _go(journey: Journey, stop: Stop, project: Project) -> None:
    told = RunOptions(policy={"retry_backoff_s": 0.0, **stop.policy}, until=stop.until)
    ended = project.app.start(journey.workflow, list(stop.inputs or journey.inputs), told)
    project.run_id = ended.run
    for _ in range(PATIENCE if stop.at else stop.gates):
        if ended.status in ENDED or not ended.gates or stop.at in standing(project):
            break
        ended = step_on(project, until=stop.until)


def _die(journey: Journey, stop: Stop, project: Project) -> None:
    """In a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            _go(journey, stop, project)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), (
        f"{journey.workflow} {stop.name}: nobody was asked for {stop.dies_at}"
    )
    (project.run_id,) = [
        each.name for each in (project.root / ".podium" / "runs").iterdir() if each.is_dir()
    ]


def standing(project: Project) -> set[str]:
    """Where the run and its child runs stand."""
    journals = [
        decode(path.read_bytes(), str(path)).events
        for path in project.folder.rglob("journal.jsonl")
    ]
    return {pointer(each)[1] for each in journals}


def stops(name: str, base: Path) -> Iterator[Stop]:
    """Those told by hand that no archive has, and one after each kind of step of the journey
    that none shows.
    """
    archives = of_workflow(name)
    there = {each for archive in archives for each in index()[archive]}
    yield from (each for each in STOPS[name] if each.name not in there)
    (base / "whole").mkdir()
    whole = start(JOURNEYS[name], Stop("whole", gates=40), base / "whole")
    flows = {each["run"]: each["workflow"] for each in whole.events("run.started")}
    kinds = {
        each["key"]: (flows[each["run"]], each["step"]) for each in whole.events("step.started")
    }
    seen = {step for archive in archives for step in shown(archive)}
    for event in whole.events("step.finished"):
        key = event["key"]
        if kinds[key] not in seen:
            seen.add(kinds[key])
            yield Stop(f"after-{key.replace('/', '+')}", until=key, gates=40)


def pack(name: str, base: Path) -> None:
    """An archive of the folders that are not there yet, beside those that are."""
    plain = BytesIO()
    kept: list[str] = []
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for stop in stops(name, base):
            here = base / stop.name
            here.mkdir(parents=True)
            project = start(JOURNEYS[name], stop, here)
            (here / "fixture.json").write_text(
                json.dumps({"run": project.run_id, "now": project.clock.now.isoformat()})
            )
            _add(archive, stop.name, here)
            kept.append(stop.name)
            print(name, stop.name, project.app.summary(project.run_id).status, flush=True)  # noqa: T201
    if kept:
        before = len(of_workflow(name))
        _save(f"{name}-{before + 1}" if before else name, kept, plain.getvalue())
    else:
        print(f"{name}: every stop has its folder already")  # noqa: T201


def _save(archive: str, kept: list[str], plain: bytes) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    data = lzma.compress(plain, filters=filters)
    with (FOLDER / f"{archive}.tar.xz").open("xb") as file:
        file.write(data)
    INDEX.write_text(json.dumps({**index(), archive: kept}, indent=1, sort_keys=True) + "\n")
    print(f"{archive}: {len(kept)} folders, {len(data):,} bytes")  # noqa: T201


def _add(archive: tarfile.TarFile, name: str, here: Path) -> None:
    for path in sorted(here.rglob("*")):
        inner = path.relative_to(here)
        if (
            inner.parts[0] == "home"
            or path.name == "lock"
            or inner.parts[-2:] == (".git", "index")
            or "hooks" in inner.parts
        ):
            continue
        info = archive.gettarinfo(str(path), f"{name}/{inner}")
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = 0
        if not path.is_file() or path.is_symlink():
            archive.addfile(info)
            continue
        data = path.read_bytes()
        assert os.fsencode(here) not in data, f"{inner} of {name} names a folder of this machine"
        info.size = len(data)
        archive.addfile(info, BytesIO(data))


def restored(kept: Path, base: Path) -> Project:
    """The project of a kept folder, copied below `base`, with an index as git keeps it: that has
    times of files in it, and is in no archive. In none was anything staged.
    """
    shutil.copytree(kept, base, symlinks=True)
    if (base / "project" / ".git").is_dir():
        subprocess.run(["git", "reset", "-q"], cwd=base / "project", check=True)
    told = json.loads((base / "fixture.json").read_text())
    (base / "home").mkdir()
    clock = Clock(datetime.fromisoformat(told["now"]))
    return with_agent(Project(base / "project", base / "home", clock, told["run"]))


def main(names: list[str]) -> None:
    for name in names or list(JOURNEYS):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as base:
            pack(name, Path(base))


if __name__ == "__main__":
    main(sys.argv[1:])
