"""The same work on Podium and on its peers, in turns, as ratios to what the disk itself takes.

python -m bench.compare [--rounds N] [--only NAME …] [--write]

Measured are: a run of 100 trivial steps, each durable before the next; one in which each step makes
a document under a contract; 20 steps at once; a process that opens the store and runs one step; and
a run that is killed half-way and continued by a new process. Each peer has its own environment
below `bench/.work/peers`, made on the first run.
`--write` puts table and plot into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench import page
from bench.disk import WITHIN, WORK, Floor, work_folder
from bench.hundred import project

HERE = Path(__file__).parent
STEPS, WIDE = 100, 20
PATIENCE_S = 240.0
INSTALL_S = 900.0
OWN = ("overhead", "fan_out", "startup", "resume", "memory")
"""Measurements of Podium alone, for the same page."""
MODES = ("steps", "bound", "fan", "one", "half", "rest")
SYNCS = "fsync,fdatasync,sync_file_range,msync,sync,syncfs"
COUNTED = (20, 70)
"""Sizes of two runs whose syncs are counted: the difference belongs to the additional steps."""
BURR = (
    "SQLite persister as shipped (rollback journal, FULL): a power cut may take the last step "
    "back, since the end of its journal is not synced"
)
BURR_EXTRA = "the same with synchronous=EXTRA, which syncs that, too: as durable as the others"


@dataclass(frozen=True)
class Peer:
    name: str
    packages: tuple[str, ...] = ()
    about: str = ""
    fans: bool = True
    """Whether it has an equally durable way to run steps at once."""
    slow: bool = False
    """Whether one round is enough, because it takes minutes."""
    setting: str = ""
    """A second way to run a peer, passed to it in SETTING."""

    @property
    def title(self) -> str:
        return f"{self.name} {self.setting}".strip()


PEERS = (
    Peer("podium", about="journal of chained events, state file, views, audit, verified artifacts"),
    Peer("burr", ("apache-burr",), BURR, fans=False),
    Peer("burr", ("apache-burr",), BURR_EXTRA, fans=False, setting="EXTRA"),
    Peer(
        "langgraph",
        ("langgraph", "langgraph-checkpoint-sqlite"),
        'SQLite saver, durability="sync", synchronous=FULL',
    ),
    Peer("dbos", ("dbos",), "SQLite as shipped (rollback journal, FULL)"),
    Peer(
        "prefect",
        ("prefect", "fastapi<0.120"),
        "server of its own in the process, results kept; not synced",
        slow=True,
    ),
)
ABSENT = {
    "microsoft/conductor": (
        "is not on the package index (`conductor-cli` there is another program), so nothing was "
        "measured"
    )
}


@dataclass
class Taken:
    """What was measured of one peer, round by round."""

    peer: Peer
    version: str = ""
    missing: str = ""
    step: list[float] = field(default_factory=list)
    """From the end of one step's own work to the beginning of the next one's; each step is a
    function in the same process.
    """
    bound: list[float] = field(default_factory=list)
    """The same for steps that make a document under a contract: Podium's own, and for the others
    one made by hand.
    """
    whole: list[float] = field(default_factory=list)
    """The whole run divided by its steps: with the steps' own work and everything written when
    the run rests.
    """
    fan: list[float] = field(default_factory=list)
    one: list[float] = field(default_factory=list)
    resume: list[float] = field(default_factory=list)
    syncs: float | None = None
    """How often a step waits for the disk; None if it cannot be counted."""
    memory: list[float] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    """What it could not do here, by mode; not tried again."""
    repeated: int = 0
    """Steps executed more than once although their end was recorded."""

    def middle(self, what: str) -> float | None:
        found: list[float] = getattr(self, what)
        return median(found) if found else None


# -- environments


def python_of(peer: Peer) -> Path:
    return (
        Path(sys.executable) if not peer.packages else WORK / "peers" / peer.name / "bin" / "python"
    )


def installed(peer: Peer) -> str:
    """Create its environment if there is none; returns why that failed, or nothing."""
    python = python_of(peer)
    if not peer.packages or (python.exists() and (python.parent.parent / ".ready").exists()):
        return ""
    home = python.parent.parent
    home.parent.mkdir(parents=True, exist_ok=True)
    (WORK / ".gitignore").write_text("*\n", encoding="utf-8")
    print(f"compare   installing {' '.join(peer.packages)}", flush=True)
    try:
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, capture_output=True)
        words = [
            str(python),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            *peer.packages,
        ]
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=INSTALL_S)
    except (OSError, subprocess.SubprocessError) as fault:
        return f"could not be installed: {type(fault).__name__}"
    if done.returncode:
        return "could not be installed: " + (done.stderr.strip().splitlines() or ["?"])[-1][:120]
    (home / ".ready").write_text("")
    return ""


def version_of(peer: Peer) -> str:
    if not peer.packages:
        import podium  # noqa: PLC0415

        return podium.__version__
    code = f"import importlib.metadata as m; print(m.version({peer.packages[0]!r}))"
    return subprocess.run(
        [str(python_of(peer)), "-c", code], check=False, capture_output=True, text=True
    ).stdout.strip()


# -- measuring


def play(
    peer: Peer, mode: str, folder: Path, size: int, through: Sequence[str] = ()
) -> tuple[dict[str, float], float]:
    """One process of the peer: what it reported, and how long it lived. `through` is a program
    that observes it.
    """
    own = (
        {"PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE.parent / 'src'}"}
        if not peer.packages
        else {}
    )
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "BEGAN": repr(time.time()),
        "SETTING": peer.setting,
        **own,
    }
    words = [
        *through,
        str(python_of(peer)),
        str(HERE / "peers" / f"{peer.name}_peer.py"),
        mode,
        str(folder),
        str(size),
    ]
    code, said, took = alone(words, folder, env)
    if mode == "half":
        assert code == 9, said[-200:]
        return {}, took
    lines = [line for line in said.splitlines() if line.startswith("TOLD ")]
    if not lines:
        raise RuntimeError((said.strip().splitlines() or ["it said nothing"])[-1][:160])
    told: dict[str, float] = json.loads(lines[-1][5:])
    return told, took


def alone(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> tuple[int, str, float]:
    """Exit code, output and seconds; servers that it started and left behind are killed with it."""
    with (folder / "said").open("w+b") as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        try:
            code = process.wait(PATIENCE_S)
            took = time.perf_counter() - began
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        return code, said.read().decode(errors="replace"), took


def measure(taken: Taken, folder: Path) -> None:
    """One round of one peer; what fails once is reported and not tried again."""
    # Nothing is removed before the end: after many deletions a disk creates files several times
    # more slowly.
    for mode in MODES:
        if (
            mode in taken.faults
            or (mode == "fan" and not taken.peer.fans)
            or (mode == "rest" and "half" in taken.faults)
        ):
            continue
        here = folder / f"{taken.peer.title}-{'half' if mode == 'rest' else mode}".replace(" ", "-")
        if mode != "rest":
            here.mkdir(parents=True)
            if not taken.peer.packages or mode == "bound":
                project(here)  # a person's repository exists before any engine runs
        try:
            told, took = play(taken.peer, mode, here, WIDE if mode == "fan" else STEPS)
            note(taken, mode, told, took, here)
        except subprocess.TimeoutExpired:
            taken.faults[mode] = f"took longer than {PATIENCE_S:g} s"
        except (RuntimeError, AssertionError) as fault:
            taken.faults[mode] = str(fault)[:200]


def note(taken: Taken, mode: str, told: dict[str, float], took: float, here: Path) -> None:
    match mode:
        case "steps":
            taken.step.append(told["between"])
        case "bound":
            taken.bound.append(told["between"])
            taken.whole.append(told["seconds"] / STEPS)
            taken.memory.append(told["memory_mb"])
        case "fan":
            taken.fan.append(told["seconds"])
        case "one":
            taken.one.append(took)
        case "rest":
            executed = Counter((here / "executed").read_text().split())
            assert len(executed) == STEPS, f"executed {len(executed)} of {STEPS} steps"
            taken.resume.append(told["ready"])
            taken.repeated = max(
                taken.repeated, sum(executed.values()) - STEPS - 1
            )  # the one in flight may be repeated


def syncs_of(peer: Peer, folder: Path) -> float | None:
    """Syncs per step, counted by strace; None if strace is missing or not allowed to trace."""
    found = []
    for size in COUNTED if shutil.which("strace") else ():
        here = folder / f"{peer.title}-{size}-counted".replace(" ", "-")
        here.mkdir(parents=True)
        project(here)
        try:
            play(
                peer,
                "bound",
                here,
                size,
                ("strace", "-f", "-qq", "-e", f"trace={SYNCS}", "-o", str(here / "syncs")),
            )
        except (RuntimeError, subprocess.TimeoutExpired):
            return None
        found.append((here / "syncs").read_text(errors="replace").count("sync("))
    return (found[1] - found[0]) / (COUNTED[1] - COUNTED[0]) if found else None


def floors(folder: Path) -> list[float]:
    floor = Floor(folder)
    found = [floor.step(b"x" * 900 + b"\n", b"y" * 700) for _ in range(STEPS)]
    floor.close()
    return found


def bare(folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], cwd=folder, check=True)
    return time.perf_counter() - began


def compare(names: Sequence[str], rounds: int, folder: Path) -> tuple[list[Taken], float, float]:
    found = [Taken(peer) for peer in PEERS if not names or peer.name in names]
    disk: list[float] = []
    start: list[float] = []
    for each in found:
        each.missing = installed(each.peer)
        each.version = version_of(each.peer) if not each.missing else ""
    for number in range(rounds):
        for each in found:
            disk += floors(folder)
            start.append(bare(folder))
            if each.missing or (number and each.peer.slow):
                continue
            measure(each, folder / str(number))
        print(f"compare   round {number + 1} of {rounds}", flush=True)
    for each in found:
        each.syncs = None if each.missing else syncs_of(each.peer, folder)
    return found, median(disk), median(start)


def own(folder: Path) -> list[str]:
    """The output of the other measurements, each in its own process as `make bench` runs them."""
    found: list[str] = []
    for name in OWN:
        words, env = [sys.executable, "-m", f"bench.{name}"], {**os.environ, WITHIN: str(folder)}
        said = subprocess.run(
            words, cwd=HERE.parent, env=env, check=False, capture_output=True, text=True
        )
        found += said.stdout.splitlines() or [
            f"{name}: {(said.stderr.strip().splitlines() or ['it said nothing'])[-1]}"
        ]
        print(f"compare   {name} of Podium alone", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=sorted({peer.name for peer in PEERS}))
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md and its picture")
    args = parser.parse_args()
    with work_folder("compare") as folder:
        printed = own(folder) if args.write else []
        found, disk, start = compare(args.only or (), args.rounds, folder)
    print(page.table(page.rows(found), disk, start))
    if args.write:
        page.write(
            HERE.parent / "docs", page.rows(found), disk, start, args.rounds, ABSENT, printed
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
