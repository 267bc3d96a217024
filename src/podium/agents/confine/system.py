"""What of the machine itself every program needs to read: its system folders and a few files of /etc."""

from __future__ import annotations

import os
from pathlib import Path

FOLDERS = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/home/linuxbrew/.linuxbrew",
)
"""Programs and libraries, none of them anybody's data."""

CONFIGURATION = tuple(
    f"/etc/{name}"
    for name in (
        "alternatives",
        "bash.bashrc",
        "ca-certificates",
        "ca-certificates.conf",
        "crypto-policies",
        "fonts",
        "gai.conf",
        "gitattributes",
        "host.conf",
        "inputrc",
        "ld.so.cache",
        "ld.so.conf",
        "ld.so.conf.d",
        "ld.so.preload",
        "locale.alias",
        "localtime",
        "magic",
        "mime.types",
        "nsswitch.conf",
        "os-release",
        "pki/ca-trust",
        "pki/tls/cert.pem",
        "pki/tls/certs",
        "pki/tls/openssl.cnf",
        "profile",
        "protocols",
        "services",
        "shells",
        "ssl/cert.pem",
        "ssl/certs",
        "ssl/openssl.cnf",
        "static",
        "terminfo",
        "timezone",
    )
)
"""Of /etc only what changes how programs run; no keys, no accounts, nothing of the machine's services."""

NAMES = ("/etc/hosts", "/etc/resolv.conf")
"""Who may reach any address must be able to look up its name."""


def present() -> list[str]:
    """The folders and files of the lists that this machine has; what Java needs carries its version."""
    java = [f"/etc/{name}" for name in sorted(os.listdir("/etc")) if name.startswith("java")]
    return [path for path in (*FOLDERS, *CONFIGURATION, *java) if os.path.lexists(path)]


def covered(path: Path) -> bool:
    """Whether a path is seen anyway, because it lies in a system folder."""
    return any(path == Path(each) or path.is_relative_to(each) for each in FOLDERS)
