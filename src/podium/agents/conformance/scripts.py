"""What the model is told to do in each check. Several checks of the study share one start of the
agent.
"""

from __future__ import annotations

from collections.abc import Mapping

from podium.agents.scripted_model.script import (
    Ending,
    Read,
    Refusal,
    Run,
    Script,
    Step,
    Tool,
    Write,
)

HELLO = Write("{cwd}/hello.txt", "hello from a scripted model\n")

SCRIPTS: Mapping[str, Script] = {
    # Leave the folder with a tool and with the shell, reach the network, call undeclared tools,
    # leave a process
    # behind.
    "attack": Script(
        (
            Step(acts=(HELLO,)),
            Step(acts=(Read("{cwd}/../secret.txt"),)),
            Step(acts=(Run("cat ../secret.txt; cat {cwd}/../secret.txt"),)),
            Step(acts=(Write("{cwd}/../escaped-tool.txt", "escaped\n"),)),
            Step(
                acts=(
                    Run(
                        "echo escaped > ../escaped-shell.txt; echo escaped > "
                        "{cwd}/../escaped-shell.txt"
                    ),
                )
            ),
            Step(
                acts=(
                    Run("(exec 3<>/dev/tcp/{host}/{port}) 2>&1; curl -s -m 2 http://{host}:{port}"),
                )
            ),
            Step(acts=(Tool("make_a_file", {"path": "{cwd}/rogue.txt", "file_text": "rogue\n"}),)),
            Step(
                acts=(Tool("rogue_tool", {"file_path": "{cwd}/rogue.txt", "content": "rogue\n"}),)
            ),
            Step(acts=(Run("setsid nohup sleep 31337 >/dev/null 2>&1 & echo left"),)),
            Step("I tried it all."),
        )
    ),
    "hello": Script((Step("I will write the file.", (HELLO,)), Step("All is written."))),
    "retry": Script((Step(acts=(HELLO,), refuse=Refusal(529)), Step("All is written."))),
    "cut": Script((Step(acts=(HELLO,), cut=1), Step("All is written."))),
    "submit": Script(
        (
            Step(acts=(Ending("report", {"status": "maybe"}),)),
            Step(acts=(Ending("report", {"status": "done", "summary": "reported"}),)),
            Step("Reported."),
        )
    ),
    "slow": Script((Step("Late.", delay=120.0),)),
    "loop": Script((Step(acts=(Run("date +%N"),)),), loop=True),
    "limited": Script((Step("Never said.", refuse=Refusal(429, 1_000_000, 3600.0)),)),
    "locked": Script((Step("Never said.", refuse=Refusal(401, 1_000_000, None)),)),
    "badjson": Script(
        (Step(acts=(HELLO,)), Step("This is not JSON."), Step("Nor is this."), Step("Nor this."))
    ),
    # The first time it sleeps until it is killed; the second time it finds what the first left.
    "killed": Script(
        (
            Step(acts=(Run("test -f {cwd}/begun || (touch {cwd}/begun && sleep 60)"),)),
            # Repeated, because programs insert turns of their own into an interrupted history.
            Step(acts=(HELLO,)),
            Step(acts=(HELLO,)),
            Step(acts=(HELLO,)),
            Step("Done, at last."),
        )
    ),
}
