"""cargo test: unit tests, integration tests and doc-tests of one or many crates."""

from __future__ import annotations

import re

from podium.proof.session import Reader, tally

_RUNNING = re.compile(r"running (\d{1,9}) tests?$")
_FAILED = re.compile(r"(?:test )?(.+?) (?:\.\.\.|---) FAILED$")
_LISTED = re.compile(r"    (\S.*)$")
_RESULT = re.compile(r"(?:.*)test result: (\w+)\. (\d.*)$")
_TARGET = re.compile(r" +Running (?:unittests )?(\S+) \((.+)\)$")
_DOCS = re.compile(r" +Doc-tests (\S+)$")
_LINE = re.compile(r" \(line \d+\)(?= |$)")
_ALL = re.compile(r"error: \d+ targets? failed:$")
_EARLY = re.compile(r"error: test failed, to rerun pass `(.*)`")
_HASH = re.compile(r"-[0-9a-f]{16}$")


class CargoReader(Reader):
    name = "cargo"
    marks = ("\nrunning ", "test result: ")
    gate = re.compile(
        r"running \d|test | +Running | +Doc-tests |failures:|    \S|----|$|error: |.* FAILED$"
        r"|.*test result: "
    )

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[list[tuple[str, bool]]] = []
        """Failed tests of each `running N tests`; whether from the list at its end."""
        self.results = 0
        self.targets: list[str] = []
        self.listing = False
        self.early = False
        """Whether cargo gave up after the first target with a failure."""

    def read(self, line: str) -> None:
        if _RUNNING.match(line):
            self.latest.begun = True
            self.blocks.append([])
            self.listing = False
        elif match := _RESULT.match(line):
            self.listing = False
            self.results += 1
            self.latest.begun = True
            self.latest.add(tally(match[2].replace(";", ",")))
            self.latest.least += match[1] == "FAILED" and "0 failed" in match[2]
        elif match := _TARGET.match(line):
            stem = _HASH.sub("", match[2].rpartition("/")[2])
            self.targets.append(f"{stem} {match[1]}")
        elif match := _DOCS.match(line):
            self.targets.append(f"{match[1]} doc")
        elif match := _EARLY.match(line):
            self.early = bool(self.results) and match[1] != "--doc"
        elif _ALL.match(line):
            self.early = False
        elif line == "failures:":
            self.listing = bool(self.blocks)
        elif not line or line.startswith("----"):
            self.listing = False
        else:
            self._failure(line)

    def _failure(self, line: str) -> None:
        if match := _FAILED.match(line):
            self._take(match[1].strip(), listed=False)
        elif self.listing and (match := _LISTED.match(line)):
            self._take(match[1], listed=True)

    def _take(self, name: str, *, listed: bool) -> None:
        if not self.blocks:
            self.blocks.append([])
        self.blocks[-1].append((name.removesuffix(" - should panic"), listed))

    def close(self) -> None:
        if not self.sessions:
            return
        session = self.latest
        if self.early:
            session.stopped = "--no-fail-fast would run the targets after the one that failed"
        session.ended = self.results >= len(self.blocks)
        known = len(self.targets) == len(self.blocks)
        for number, block in enumerate(self.blocks):
            target = self.targets[number] if known else f"target {number + 1}"
            for name, listed in block:
                # The line of a doc-test moves with the code around it.
                stable = _LINE.sub("", name)
                session.name(f"{target} > {stable}", coarse=stable != name, channel=int(listed))
