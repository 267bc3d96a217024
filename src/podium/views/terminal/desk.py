"""Where a person at the terminal decides: open gates one at a time; keys go in, acts come out.

Pure: it knows neither files nor the engine. Its owner performs the acts and reports the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from podium.views.asking import gate_lines
from podium.views.board.state import BoardState
from podium.views.gate import REJECTIONS, Gate
from podium.views.look import Line
from podium.views.terminal.desk_drawing import drawn
from podium.views.terminal.reader import Reader, Section

Below = Callable[[int, int | None], list[Line]]
Mode = Literal["ask", "to", "note", "text", "number", "go"]
MANY = 9
"""Up to this many choices have a key each; of more, the number is typed."""


@dataclass(frozen=True)
class Asked:
    """An open gate as shown: its subject has the digests of what the person sees now."""

    run: str
    gate: Gate
    changed: tuple[str, ...] = ()
    """Files that have changed since the gate opened."""

    @property
    def ident(self) -> tuple[str, str, str]:
        return self.run, self.gate.key, self.gate.opened

    @property
    def question(self) -> bool:
        return self.gate.kind in {"question", "drift"}

    @property
    def targets(self) -> tuple[str, ...]:
        """Where a rejection can send the run, if there is a choice."""
        others = tuple(each for each in self.gate.choices[1:] if each not in REJECTIONS)
        return others if not self.question and len(others) > 1 else ()


@dataclass(frozen=True)
class Decision:
    asked: Asked
    verb: Literal["approve", "reject", "answer"]
    note: str = ""
    to: str = ""
    choice: str = ""
    text: str = ""

    @property
    def seen(self) -> Mapping[str, str]:
        return self.asked.gate.subject

    @property
    def said(self) -> str:
        word = {"approve": "approved", "reject": "rejected", "answer": "answered"}[self.verb]
        return (
            word
            + (f", back to {self.to}" if self.to else "")
            + (f": {self.choice}" if self.choice else "")
        )


@dataclass(frozen=True)
class Show:
    asked: Asked
    what: Literal["subject", "diff"]


@dataclass(frozen=True)
class Later:
    asked: Asked


@dataclass(frozen=True)
class Go:
    """Resume the run here, or not."""

    run: str
    yes: bool


Act = Decision | Show | Later | Go


@dataclass
class Desk:
    several: bool = False
    """Whether there are several runs, so that each gate says which run it belongs to."""
    asked: list[Asked] = field(default_factory=list)
    """Gates that wait and were not put off."""
    at: int = 0
    mode: Mode = "ask"
    typed: str = ""
    notice: str = ""
    answered: list[str] = field(default_factory=list)
    """What was decided here and has not been processed yet."""
    aside: bool = False
    """Whether a gate was put off, so that its commands are shown again."""
    offered: str = ""
    """A run that could continue here."""
    reader: Reader | None = None
    _verb: Literal["approve", "reject"] = "approve"
    _to: str = ""

    @property
    def asks(self) -> bool:
        return bool(self.asked or self.offered or self.answered)

    @property
    def now(self) -> Asked | None:
        return self.asked[self.at] if self.asked else None

    def put(self, asked: Sequence[Asked]) -> None:
        """Take over the gates that wait now; the one the person is looking at stays, as long as
        it is among them.
        """
        before = self.now
        self.asked = list(asked)
        idents = [each.ident for each in self.asked]
        if before is not None and before.ident in idents:
            self.at = idents.index(before.ident)
        else:
            self.at = 0
            self.back()
            self.reader = None

    def offer(self, run: str) -> None:
        """Ask whether to continue the run here; "" withdraws the question."""
        if run != self.offered:
            self.offered, self.mode = run, "go" if run else "ask"

    def read(self, title: str, sections: Sequence[Section]) -> None:
        self.reader = Reader(title, sections)

    def back(self) -> None:
        """Back to the keys; typed text is lost."""
        self.mode, self.typed = "go" if self.offered else "ask", ""

    def press(self, key: str) -> Act | None:
        """One key: a character, or a name like `enter`, `esc`, `up`."""
        if self.reader is not None:
            if not self.reader.press(key):
                self.reader = None
            return None
        if self.mode == "go":
            return self._going(key)
        asked = self.now
        if asked is None:
            return None
        if self.mode in {"note", "text", "number"}:
            return self._typing(asked, key)
        self.notice = ""
        return self._targeting(asked, key) if self.mode == "to" else self._asking(asked, key)

    def _going(self, key: str) -> Act | None:
        if key in {"enter", "y", "g"}:
            return Go(self.offered, yes=True)
        return Go(self.offered, yes=False) if key in {"l", "n", "q", "esc"} else None

    def _asking(self, asked: Asked, key: str) -> Act | None:
        if key in {"v", "d"}:
            return Show(asked, "subject" if key == "v" else "diff")
        if key in {"l", "q"}:
            return Later(asked)
        if key in {"tab", "n"} and len(self.asked) > 1:
            self.at = (self.at + 1) % len(self.asked)
        elif asked.question:
            return self._answering(asked, key)
        elif key == "a":
            self._verb, self._to, self.mode = "approve", "", "note"
        elif key == "r":
            self._verb, self._to = "reject", ""
            self.mode = "to" if asked.targets else "note"
        return None

    def _answering(self, asked: Asked, key: str) -> Act | None:
        choices = asked.gate.choices
        if key == "t" and asked.gate.words:
            self.mode = "text"
        elif key == "c" and len(choices) > MANY:
            self.mode = "number"
        elif len(choices) <= MANY and key.isdecimal() and 1 <= int(key) <= len(choices):
            return Decision(asked, "answer", choice=choices[int(key) - 1])
        return None

    def _targeting(self, asked: Asked, key: str) -> Act | None:
        if key == "esc":
            self.back()
        elif key == "enter" or key in map(str, range(1, len(asked.targets[:MANY]) + 1)):
            self._to = "" if key == "enter" else asked.targets[int(key) - 1]
            self.mode = "note"
        return None

    def _typing(self, asked: Asked, key: str) -> Act | None:
        if key == "esc":
            self.back()
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif key == "clear":
            self.typed = ""
        elif len(key) == 1 and key.isprintable():
            self.typed += key
        elif key == "enter":
            return self._typed(asked, self.typed.strip())
        return None

    def _typed(self, asked: Asked, said: str) -> Act | None:
        if self.mode == "number":
            choices = asked.gate.choices
            if said.isdecimal() and 1 <= int(said[:6]) <= len(choices):
                return Decision(asked, "answer", choice=choices[int(said[:6]) - 1])
            self.notice = f"a number from 1 to {len(choices)}"
        elif self.mode == "text":
            if said:
                return Decision(asked, "answer", text=said)
            self.notice = "an answer in your own words, or Esc"
        elif self._verb == "approve":
            return Decision(asked, "approve", note=said)
        elif said:
            return Decision(asked, "reject", note=said, to=self._to)
        else:
            self.notice = "say why: whoever does it again will read it"
        return None

    @property
    def typing(self) -> str:
        """What the typed words mean."""
        if self.mode in {"text", "number"}:
            return "answer" if self.mode == "text" else "number"
        return f"{self._verb}, note" + (f" to {self._to}" if self._to else "")

    def page(self, width: int, height: int) -> list[Line] | None:
        """What is being read instead of the board; None if nothing is."""
        return self.reader.page(width, height) if self.reader is not None else None

    def below(self, board: BoardState) -> Below | None:
        """What replaces the gates below a board; None if they are shown as usual."""
        if self.asks:
            return self.lines
        # Until the keys are ready, the commands are not shown either.
        return (
            None
            if self.aside or not board.gates
            else lambda width, room: gate_lines(board, width, room, commands=False)
        )

    def lines(self, width: int, room: int | None) -> list[Line]:
        """What is shown below the board, at most `room` lines."""
        return drawn(self, width, room)
