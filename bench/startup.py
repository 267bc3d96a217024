"""How long a command takes before it does anything, as a ratio to the bare interpreter.

python -m bench.startup [--runs N]
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.disk import work_folder

from podium.cli.demos import project as demo_project
from podium.core.chain import FIRST, seal
from podium.wiring import App, Parts
from podium.wiring_values import RunOptions

TARGET = 4.0
ROUNDS = 20
SOURCE = Path(__file__).parent.parent / "src"


def seconds(argv: Sequence[str], folder: Path) -> float:
    began = perf_counter()
    done = subprocess.run(
        argv, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    took = perf_counter() - began
    assert done.returncode in {0, 10}, done.stderr.decode()
    return took


def many_runs(folder: Path, count: int) -> Path:
    """A project with one real run of the demo, and copies of it under other names."""
    made = folder / "project"
    made.mkdir()
    inputs = demo_project.make(made, "harness", 0.0).inputs
    environ = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    options = RunOptions(
        agent=f"scripted:{made / demo_project.SCENARIO}",
        approve_all=True,
        by="bench",
        run_id="R000",
    )
    ended = App(made, parts=Parts(environ, cwd=made)).start("harness", inputs, options)
    assert ended.exit_code == 0, ended
    for number in range(1, count):
        copy_run(made / ".podium" / "runs" / "R000", f"R{number:03d}")
    return made


def copy_run(source: Path, name: str) -> None:
    """The same history under another id, with a newly sealed chain; without the steps' folders,
    which nothing here reads.
    """
    target = source.parent / name
    target.mkdir()
    (target / "request.json").write_bytes((source / "request.json").read_bytes())
    state = json.loads((source / "state.json").read_bytes())
    (target / "state.json").write_text(
        json.dumps({**state, "run": name}, indent=2), encoding="utf-8"
    )
    prev, lines = FIRST, []
    for seq, raw in enumerate((source / "journal.jsonl").read_bytes().splitlines(), 1):
        body = {
            key: value
            for key, value in json.loads(raw).items()
            if key not in {"hash", "prev", "seq"}
        }
        sealed, line = seal({**body, "run": name}, seq, prev)
        prev = sealed["hash"]
        lines.append(line)
    (target / "journal.jsonl").write_bytes(b"".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    args = parser.parse_args()
    # With PYTHONDONTWRITEBYTECODE set, nothing else would, and every start would compile.
    compileall.compile_dir(SOURCE, quiet=1)
    podium = str(Path(sys.executable).parent / "podium")
    with work_folder("startup") as folder:
        made = many_runs(folder, args.runs)
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "podium --version": [podium, "--version"],
            "podium --help": [podium, "--help"],
            "podium status": [podium, "status"],
            f"podium list ({args.runs} runs)": [podium, "list"],
        }
        took: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS + 1):  # in turns; the first round warms the caches
            for name, argv in commands.items():
                took[name].append(seconds(argv, made))
    middle = {name: median(each[1:]) for name, each in took.items()}
    bare = middle["python -c pass"]
    for name, each in middle.items():
        wanted = f" (target {TARGET:g})" if name == "podium --version" else ""
        print(f"startup   {name:<24} {each * 1e3:6.1f} ms  {each / bare:5.2f} x{wanted}")
    return int(middle["podium --version"] / bare > TARGET)


if __name__ == "__main__":
    sys.exit(main())
