"""What people do from the pages: decide, cancel, continue. The rules are those of the command
line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from podium.core.errors import PodiumError, UsageError
from podium.core.records import GateRecord
from podium.engine.decisions import Changed
from podium.views import figures
from podium.views.report.ledger import Ledger
from podium.web.going import Going
from podium.web.homes import Homes
from podium.web.library import Library, Missing
from podium.wiring_values import Summary

LONGEST = 20_000
"""The most characters of a note or an answer."""

GOES_ON = "A worker of the fleet continues this run."

Form = Mapping[str, str]


@dataclass(frozen=True)
class Done:
    """The result."""

    ok: bool
    say: str
    status: int = 200


class Actions:
    def __init__(self, library: Library, going: Going, homes: Homes) -> None:
        self._library, self._going, self._homes = library, going, homes

    def decide(self, run: str, key: str, how: str, form: Form, by: str) -> Done:
        """Approve, reject or answer one opening of a gate, bound to the bytes that were shown."""
        gate = self._gate(run, key)
        try:
            seen = _seen(form.get("seen", ""))
            _short(form)
            if not gate.open or (form.get("opened") and form["opened"] != gate.opened):
                return Done(False, _overtaken(gate), 409)
            summary = self._take(run, gate.key, how, form, by, seen)
        except Changed as fault:
            return Done(False, str(fault), 409)
        except PodiumError as fault:
            decided = self._decided(run, key)
            return Done(False, decided or str(fault), 409 if decided else 400)
        finally:
            self._library.fresh(run)
        word = {"approve": "Approved.", "reject": "Rejected.", "answer": "Answered."}[how]
        return self._then(run, word, form, summary)

    def cancel(self, run: str, form: Form, by: str) -> Done:
        self._library.run(run)
        try:
            _short(form)
            self._homes.app().cancel(run, form.get("reason", "").strip(), by)
        except PodiumError as fault:
            return Done(False, str(fault), 409)
        if self._homes.far(run):
            return Done(
                True,
                (
                    "The worker that drives this run ends its agents; if none does, the next one "
                    "ends the run."
                ),
            )
        return Done(True, "The run is cancelled.")

    def resume(self, run: str, form: Form, by: str = "") -> Done:
        known = self._library.run(run)
        because = form.get("because", "").strip()
        try:
            _short(form)
            if known.summary.status == "blocked" and not because:
                raise UsageError("say why a blocked run may continue; its agents are told too")
            if known.summary.status in {"complete", "cancelled", "damaged"}:
                raise UsageError(f"this run is {known.summary.status}, and cannot continue")
            if self._homes.far(run):
                self._send_on(run, because, by)
                return Done(True, GOES_ON)
            return Done(True, _sentence(self._going.on(self._homes.app(), run, because)))
        except PodiumError as fault:
            return Done(False, str(fault), 409)

    def _send_on(self, run: str, because: str, by: str) -> None:
        if self._homes.fleet is not None:
            self._homes.fleet.facade().send_on(run, because, by)

    def _take(
        self, run: str, key: str, how: str, form: Form, by: str, seen: Mapping[str, str]
    ) -> Summary:
        app, note = self._homes.app(), form.get("note", "").strip()
        if how == "approve":
            return app.approve(run, gate=key, note=note, by=by, seen=seen)
        if how == "reject":
            return app.reject(run, gate=key, note=note, to=form.get("to", ""), by=by, seen=seen)
        choice, text = form.get("choice", ""), form.get("text", "").strip()
        return app.answer(run, gate=key, choice=choice, text=text, note=note, by=by, seen=seen)

    def _then(self, run: str, word: str, form: Form, summary: Summary) -> Done:
        if self._homes.far(run):
            return Done(
                True,
                f"{word} Other gates are still open." if summary.gates else f"{word} {GOES_ON}",
            )
        if summary.holder:
            return Done(True, f"{word} The process that drives this run continues it.")
        if not form.get("go"):
            return Done(True, word)
        if summary.gates:
            return Done(True, f"{word} Other gates are still open.")
        try:
            return Done(True, f"{word} {_sentence(self._going.on(self._homes.app(), run))}")
        except PodiumError as fault:
            return Done(True, f"{word} It does not continue by itself: {fault}")

    def _gate(self, run: str, key: str) -> GateRecord:
        found = Ledger(self._library.fresh(run).events).gates.get(key)
        if found is None:
            raise Missing(f"This run has no gate {key!r}.")
        return found

    def _decided(self, run: str, key: str) -> str:
        """Who was first, if somebody was; their decision may still wait to be recorded."""
        gate = self._gate(run, key)
        if not gate.open:
            return _overtaken(gate)
        given: Mapping[str, Any] = self._homes.inbox(run).get(f"{gate.key}@{gate.opening}", {})
        return f"{_first(str(given.get('decision')), str(given.get('by')))}." if given else ""


def _overtaken(gate: GateRecord) -> str:
    if gate.decision:
        return (
            f"{_first(gate.decision, gate.by)} on {figures.day(gate.decided)} UTC. Your decision "
            "was not taken."
        )
    if gate.void:
        return "The run went on another way; there is nothing to decide here any more."
    return (
        "The question was asked again after this page was loaded. Nothing was decided; look again."
    )


def _first(decision: str, by: str) -> str:
    return f"Somebody was first: {decision} by {by}"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _seen(text: str) -> dict[str, str]:
    """Digests by path. A form that does not say what was seen decides nothing."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise UsageError("the form does not say what was shown; load the page again")
    return found


def _short(form: Form) -> None:
    for name in ("note", "text", "because", "reason", "choice", "to"):
        if len(form.get(name, "")) > LONGEST:
            raise UsageError(f"{name} is longer than {LONGEST} characters")
