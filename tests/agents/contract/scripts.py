"""The scripts of the conformance checks, and those that only tests of real agents need."""

from __future__ import annotations

from collections.abc import Mapping

from podium.agents.conformance.scripts import HELLO
from podium.agents.conformance.scripts import SCRIPTS as CHECKS
from podium.agents.scripted_model.script import Ending, Read, Refusal, Run, Script, Step

SCRIPTS: Mapping[str, Script] = {
    **CHECKS,
    # A file to write, an overloaded service, a stream that breaks off, a report that is refused.
    "work": Script(
        (
            Step("I will write the file.", (HELLO,), refuse=Refusal(529)),
            Step(acts=(Read("{cwd}/input.txt"),), cut=1),
            Step(acts=(Ending("report", {"status": "maybe"}),)),
            Step(acts=(Ending("report", {"status": "done", "summary": "written"}),)),
            Step("All is written."),
        )
    ),
    "login": Script(
        (
            Step(acts=(HELLO,)),
            Step(acts=(Run("cat {cwd}/../me/secret; ls -a {cwd}/../me"),)),
            Step("Looked around."),
        )
    ),
    "asks": Script((Step(acts=(Run("make --version"),)), Step("I may not run it."))),
}
