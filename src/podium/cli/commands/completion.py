"""`podium completion SHELL`: a script for the shell that completes commands, runs, workflows and
gates.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from podium.cli.terminal import terminal

HOW = {
    "bash": 'eval "$(podium completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(podium completion zsh)"   # in ~/.zshrc, after compinit',
    "fish": "podium completion fish | source   # in ~/.config/fish/config.fish",
}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", choices=sorted(HOW), help="the shell to complete in"
    )


def run(args: Namespace) -> int:
    from argcomplete.shell_integration import shellcode  # noqa: PLC0415

    script = shellcode(["podium"], shell=args.shell)
    out = terminal(args)
    out.answer({"shell": args.shell, "script": script}, f"# {HOW[args.shell]}\n{script}")
    return 0
