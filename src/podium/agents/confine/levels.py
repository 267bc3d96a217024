"""What this machine can confine an agent with, found by trying once: bubblewrap, Landlock, or
neither.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Literal

Name = Literal["bubblewrap", "landlock"]
NAMES: tuple[Name, ...] = ("bubblewrap", "landlock")
"""Best first."""
_PATIENCE_S = 30.0

_INSTALL = (
    "install bubblewrap (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap)"
)
_USER_NAMESPACES = (
    "allow unprivileged user namespaces: in a container start it with fewer restrictions; on "
    "Ubuntu "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0` or an AppArmor profile for "
    "bwrap; on old Debian "
    "`sysctl kernel.unprivileged_userns_clone=1`"
)


@dataclass(frozen=True)
class Level:
    """One way to confine an agent, and whether it works here."""

    name: Name
    works: bool
    what: str
    """Its version, or why it does not work."""
    mend: str = ""
    program: str = ""
    """bubblewrap: the file that was tried."""
    abi: int = 0
    """landlock: the kernel's ABI version."""

    @property
    def holds_network(self) -> bool:
        """Whether it blocks every address, not just TCP."""
        return self.name == "bubblewrap"


def level(name: Name, path: str) -> Level:
    """A level on this machine; `path` is where programs are searched."""
    return (
        _bubblewrap(shutil.which("bwrap", path=path) or "") if name == "bubblewrap" else _landlock()
    )


@cache
def _bubblewrap(program: str) -> Level:
    if sys.platform != "linux":
        return Level(
            "bubblewrap",
            False,
            f"needs Linux, and this is {sys.platform}",
            "run Podium on Linux, or in a container",
        )
    if not program:
        return Level("bubblewrap", False, "bwrap is not on the PATH", _INSTALL)
    said = _asked(program, "--version").stdout.strip()
    # Everything a room needs at once: a machine may allow one namespace and refuse another.
    tried = _asked(
        program,
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108
        *("--", "/bin/sh", "-c", "exit 0"),
    )
    if tried.returncode == 0:
        return Level("bubblewrap", True, f"{program} {said}".strip(), program=program)
    why = tried.stderr.strip().splitlines()
    return Level(
        "bubblewrap", False, f"{program}: {why[-1] if why else 'failed'}", _USER_NAMESPACES, program
    )


@cache
def _landlock() -> Level:
    if sys.platform != "linux":
        return Level(
            "landlock",
            False,
            f"needs Linux, and this is {sys.platform}",
            "run Podium on Linux, or in a container",
        )
    from podium.agents.confine.landlock import abi  # noqa: PLC0415  # loads ctypes only if asked

    found = abi()
    if not found:
        mend = "a kernel of 5.13 or newer with `landlock` in /sys/kernel/security/lsm"
        return Level("landlock", False, "this kernel has none, or it is switched off", mend)
    return Level("landlock", True, f"ABI {found}, kernel {os.uname().release}", abi=found)


def _asked(*argv: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            timeout=_PATIENCE_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as fault:
        return subprocess.CompletedProcess(argv, 1, "", str(fault))
