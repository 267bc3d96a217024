"""The parts of the machine that every program needs to read: system folders and a few files of
/etc.
"""

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
"""Programs and libraries; none of it is anybody's data."""

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
"""Only the parts of /etc that change how programs run; no keys, no accounts, nothing about the
machine's services.
"""

NAMES = ("/etc/hosts", "/etc/resolv.conf")
"""A program that may reach any address must be able to look up its name."""


def present() -> list[str]:
    """The listed folders and files that exist here. Java's folder has a version in its name."""
    java = [f"/etc/{name}" for name in sorted(os.listdir("/etc")) if name.startswith("java")]
    return [path for path in (*FOLDERS, *CONFIGURATION, *java) if os.path.lexists(path)]


def covered(path: Path) -> bool:
    """Whether a path is visible anyway because it is in a system folder."""
    return any(path == Path(each) or path.is_relative_to(each) for each in FOLDERS)
