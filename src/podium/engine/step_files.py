"""The files of one step in steps/<key>/: what was asked, said, written and found."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from podium.agents.protocol import Answer
from podium.core.contract import Brief
from podium.engine.session import Session
from podium.state.disk import Disk, ensure_folder

_MOVABLE = (
    "brief.json",
    "prompt.md",
    "transcript.jsonl",
    "output.md",
    "verdict.json",
    "changes.patch",
)
_QUARANTINE = "quarantine.patch"
LARGEST_TRANSCRIPT = 20_000_000
"""Bytes: an agent that prints without end must not fill the disk."""
_FULL = json.dumps(
    {
        "kind": "text",
        "text": f"(Podium: the transcript has {LARGEST_TRANSCRIPT:,} bytes; the rest is not kept)",
    }
)


class StepFiles:
    """One dispatch's folder. Files of earlier attempts are kept in folders inside it."""

    def __init__(self, session: Session, key: str, earlier: int) -> None:
        self._run, self._key = session.folder, key
        self.prompt = ""
        self.redact = session.services.redact
        self._later = session.services.scribe.do
        if earlier:
            session.services.scribe.flush()
            self._set_aside(earlier)

    @property
    def folder(self) -> Path:
        return self._run.steps(self._key)

    def _set_aside(self, number: int) -> None:
        aside = self.folder / f"attempt-{number}"
        if aside.exists():
            return
        os.makedirs(aside)
        for name in _MOVABLE:
            if os.path.lexists(self.folder / name):
                os.rename(self.folder / name, aside / name)
        if os.path.isfile(kept := self.folder / _QUARANTINE):
            # It is evidence about the step, whichever attempt strayed, so it stays until another
            # attempt strays.
            shutil.copyfile(kept, aside / _QUARANTINE)

    def brief(self, brief: Brief, prompt: str) -> None:
        # vars, not asdict, and no indentation, because both are slow; `podium show` formats it for
        # people.
        said = {**vars(brief), "facts": dict(brief.facts)}
        self._later(lambda: self._json("brief.json", said))
        self._write("prompt.md", prompt)
        self.prompt = prompt

    def transcript(self) -> Callable[[str, Mapping[str, Any]], None]:
        """A writer of one line for each thing the agent did; the file is created with the first."""
        full = False

        def say(kind: str, fields: Mapping[str, Any]) -> None:
            nonlocal full
            if full:
                return
            line = json.dumps(
                self.redact.data({"kind": kind, **fields}), ensure_ascii=False, default=str
            )
            ensure_folder(self.folder)
            with open(
                self.folder / "transcript.jsonl", "a", encoding="utf-8", errors="backslashreplace"
            ) as file:
                full = os.fstat(file.fileno()).st_size + len(line) > LARGEST_TRANSCRIPT
                file.write((_FULL if full else line) + "\n")

        return say

    def answer(self, answer: Answer) -> None:
        self._write("output.md", answer.text)
        if answer.verdict is not None:
            self.verdict(answer.verdict)

    def verdict(self, data: Mapping[str, Any]) -> None:
        self._later(lambda: self._json("verdict.json", data))

    def output(self, path: str, text: str, synced: Disk | None = None) -> None:
        """Keep the artifact as verified; with a disk it is durable on return."""
        if synced is None:
            self._later(lambda: self._put(stored_name(path), text.encode()))
        else:
            synced.make_dirs(self.folder)
            synced.save(self.folder / stored_name(path), text.encode(), sync=True)

    def keep(self, path: str, text: str) -> None:
        """The same at once: if there is no other copy, it must be there before the journal names
        it.
        """
        self._put(stored_name(path), text.encode())

    def patch(self, name: str, parts: Iterable[bytes]) -> None:
        body = b"\n".join(parts)
        if body:
            text = body.decode(errors="surrogateescape")
            self._later(lambda: self._put(name, self.redact(text).encode(errors="surrogateescape")))

    def evidence(self, name: str, text: str) -> None:
        self._write(os.path.join("evidence", f"{name}.txt"), text)

    def _json(self, name: str, data: Any) -> None:
        try:
            written = _spelled(data).encode()
            clean = not self.redact.suspects(written)
        except (
            UnicodeEncodeError
        ):  # lone surrogates are escaped, and a secret with them would be, too
            clean = False
        if not clean:
            written = _spelled(self.redact.data(data)).encode(errors="backslashreplace")
        self._put(name, written)

    def _write(self, name: str, text: str) -> None:
        self._later(lambda: self._put(name, self.redact(text).encode(errors="backslashreplace")))

    def _put(self, name: str, data: bytes) -> None:
        where = f"{self.folder}/{name}"
        ensure_folder(os.path.dirname(where))
        with open(where, "wb") as file:
            file.write(data)


def _spelled(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)


def stored_output(session: Session, key: str, path: str) -> Path:
    return session.folder.steps(key) / stored_name(path)


def stored_name(path: str) -> str:
    """The name of an artifact's copy among the files of its step."""
    return "artifact~" + path.replace("/", "~")
