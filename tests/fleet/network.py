"""A network namespace with a line of its own to each server, which can be cut and healed. Needs
root and iproute2.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from collections.abc import Mapping

from tests.fleet.lossy_line import LossyLine

_NUMBERS = itertools.count(os.getpid() % 60 * 4)


def ip(*words: str) -> str:
    return subprocess.run(
        ["ip", *words], check=True, capture_output=True, text=True, timeout=20
    ).stdout


def missing() -> str:
    """Why there can be no namespaces here; empty where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "there is no `ip` here (package iproute2)"
    name = f"podium-try-{os.getpid()}"
    try:
        ip("netns", "add", name)
        ip(
            "link",
            "add",
            f"pdt{os.getpid() % 10000}",
            "type",
            "veth",
            "peer",
            "name",
            "pdx0",
            "netns",
            name,
        )
    except subprocess.SubprocessError as fault:
        return (
            "the kernel lets nobody make network namespaces here: "
            f"{getattr(fault, 'stderr', fault)}"
        )
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    return ""


class Network:
    """`urls` name servers on 127.0.0.1; inside, each has an address of its own."""

    def __init__(self, urls: Mapping[str, str]) -> None:
        self.name = f"podium-{os.getpid()}-{next(_NUMBERS)}"
        self.lines: dict[str, LossyLine] = {}
        self._links: dict[str, str] = {}
        ip("netns", "add", self.name)
        try:
            ip("-n", self.name, "link", "set", "lo", "up")
            for part, url in urls.items():
                self._lay(part, url)
        except BaseException:
            self.close()
            raise

    def _lay(self, part: str, url: str) -> None:
        number = next(_NUMBERS) % 250
        outside, inside, net = f"pdh{number}", f"pdn{number}", f"10.213.{number}"
        ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", self.name)
        self._links[part] = outside
        # What is sent to a line that was cut must not leave this machine by another way.
        ip("route", "replace", "blackhole", f"{net}.0/24", "metric", "9999")
        ip("addr", "add", f"{net}.1/24", "dev", outside)
        ip("-n", self.name, "addr", "add", f"{net}.2/24", "dev", inside)
        ip("link", "set", outside, "up")
        ip("-n", self.name, "link", "set", inside, "up")
        self.lines[part] = LossyLine(url, f"{net}.1")

    @property
    def enter(self) -> tuple[str, ...]:
        """Put before a command, it runs inside."""
        return ("ip", "netns", "exec", self.name)

    def cut(self, *parts: str) -> None:
        """What is sent is lost, and nobody is told."""
        for part in parts:
            ip("link", "set", self._links[part], "down")

    def heal(self) -> None:
        for link in self._links.values():
            ip("link", "set", link, "up")

    def close(self) -> None:
        for line in self.lines.values():
            line.close()
        for link in self._links.values():
            subprocess.run(["ip", "link", "del", link], check=False, capture_output=True)
            net = f"10.213.{link.removeprefix('pdh')}.0/24"
            subprocess.run(
                ["ip", "route", "del", "blackhole", net], check=False, capture_output=True
            )
        subprocess.run(["ip", "netns", "del", self.name], check=False, capture_output=True)
