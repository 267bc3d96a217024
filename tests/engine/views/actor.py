"""Works in a view as a wild program would, and says what was there before and after.

    python -I -S actor.py SEED COUNT

Standard output is JSON: two listings that read everything, and how often the system refused what.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import mmap
import os
import random
import shutil
import socket
import stat
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass

NAMES = [
    b"a",
    b"A",
    b"b",
    b"B.txt",
    b"b.txt",
    b"caf\xc3\xa9",
    b"bad\xff\xfe",
    b"new\nline",
    b"with space",
    b"-dash",
    b".hidden",
    b"comma,colon:",
    b"back\\slash",
    b'quo"te',
    b"deep",
    b"node_modules",
    b"x" * 200,
]
_HERE = -100
_EXCHANGE, _LEAVE_WHITEOUT = 2, 4
_libc = ctypes.CDLL(None, use_errno=True)
_KINDS = {stat.S_IFREG: "file", stat.S_IFLNK: "link", stat.S_IFDIR: "folder"}


@dataclass
class Moment:
    """What one operation has to choose from."""

    chance: random.Random
    root: bytes

    def paths(self, *kinds: str) -> list[bytes]:
        return [path for path in everything(self.root) if kind_of(os.lstat(path)) in kinds]

    def one(self, *kinds: str) -> bytes:
        return self.chance.choice(self.paths(*kinds))

    def file(self) -> bytes:
        return self.one("file")

    def thing(self) -> bytes:
        return self.one("file", "link", "special")

    def folder(self) -> bytes:
        return self.chance.choice([self.root, *self.paths("folder")])

    def inner(self) -> bytes:
        return self.one("folder")

    def fresh(self) -> bytes:
        return os.path.join(self.folder(), self.chance.choice(NAMES))

    def data(self, *sizes: int) -> bytes:
        return self.chance.randbytes(self.chance.choice(sizes))


def everything(root: bytes) -> list[bytes]:
    """All paths but those of the repository; folders closed to their owner are opened."""
    paths = []
    for folder, folders, files in os.walk(root):
        if folder == root and b".git" in folders:
            folders.remove(b".git")
        for name in folders:
            place = os.path.join(folder, name)
            if not os.path.islink(place) and stat.S_IRWXU & ~os.lstat(place).st_mode:
                os.chmod(place, 0o755)
        paths += [os.path.join(folder, name) for name in folders + files]
    return paths


def kind_of(facts: os.stat_result) -> str:
    return _KINDS.get(stat.S_IFMT(facts.st_mode), "special")


def put(path: bytes, data: bytes, how: str = "wb") -> None:
    """Never waits for the other end of a pipe."""
    with open(path, how, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        file.write(data)


def renamed(one: bytes, other: bytes, flags: int) -> None:
    if _libc.renameat2(_HERE, one, _HERE, other, flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


# -- the operations


def write(now: Moment) -> None:
    put(now.fresh(), now.data(0, 1, 40, 5000))


def change(now: Moment) -> None:
    put(now.file(), now.data(30), now.chance.choice(["wb", "ab", "r+b"]))


def rewrite(now: Moment) -> None:
    file = now.file()
    with open(file, "rb") as before:
        data = before.read()
    put(file, data)


def change_and_back(now: Moment) -> None:
    file = now.file()
    with open(file, "rb") as before:
        data = before.read()
    put(file, b"other")
    put(file, data)


def remake(now: Moment) -> None:
    """Remove a file and make the same one."""
    file = now.file()
    mode = stat.S_IMODE(os.lstat(file).st_mode)
    with open(file, "rb") as before:
        data = before.read()
    os.unlink(file)
    put(file, data)
    os.chmod(file, mode)


def remake_folder(now: Moment) -> None:
    folder = now.inner()
    spare = folder + b".copy"
    shutil.copytree(folder, spare, symlinks=True, ignore=_specials)
    shutil.rmtree(folder)
    shutil.copytree(spare, folder, symlinks=True)
    shutil.rmtree(spare)


def _specials(folder: bytes, names: list[bytes]) -> list[bytes]:
    return [name for name in names if kind_of(os.lstat(os.path.join(folder, name))) == "special"]


def remake_other(now: Moment) -> None:
    """Remove a folder and make it again with something else in a folder of the same name."""
    folder = now.inner()
    below = [name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))]
    shutil.rmtree(folder)
    inner = os.path.join(folder, now.chance.choice(below) if below else b"deep")
    os.makedirs(inner)
    put(os.path.join(inner, now.chance.choice(NAMES)), now.data(1, 40))


def keep_time(now: Moment) -> None:
    """Other content of the same size, with the same time."""
    file = now.file()
    facts = os.lstat(file)
    put(file, now.chance.randbytes(facts.st_size), "r+b")
    os.utime(file, ns=(facts.st_mtime_ns, facts.st_mtime_ns))


def touch(now: Moment) -> None:
    os.utime(now.chance.choice([now.file(), now.folder()]))


def set_mode(now: Moment) -> None:
    os.chmod(now.file(), now.chance.choice([0o644, 0o755, 0o600, 0o000, 0o444, 0o4755]))


def set_folder_mode(now: Moment) -> None:
    os.chmod(now.inner(), now.chance.choice([0o755, 0o700, 0o777, 0o711, 0o555, 0o000]))


def unlink(now: Moment) -> None:
    os.unlink(now.thing())


def mkdir(now: Moment) -> None:
    os.mkdir(now.fresh())


def remove_folder(now: Moment) -> None:
    if now.chance.random() < 0.5:
        shutil.rmtree(now.inner())


def rename(now: Moment) -> None:
    os.rename(now.thing(), now.fresh())


def rename_folder(now: Moment) -> None:
    folder = now.inner()
    os.rename(folder, os.path.join(os.path.dirname(folder), now.chance.choice(NAMES)))


def move_folder(now: Moment) -> None:
    folder = now.inner()
    target = os.path.join(os.path.dirname(folder), now.chance.choice(NAMES))
    if not os.path.lexists(target):
        shutil.move(os.fsdecode(folder), os.fsdecode(target))


def exchange(now: Moment) -> None:
    renamed(now.file(), now.thing(), _EXCHANGE)


def rename_leaving_a_whiteout(now: Moment) -> None:
    renamed(now.file(), now.fresh(), _LEAVE_WHITEOUT)


def symlink(now: Moment) -> None:
    os.symlink(now.chance.choice([b"a", b"../x", b"/etc/passwd", b"loop\xff"]), now.fresh())


def hard_link(now: Moment) -> None:
    os.link(now.thing(), now.fresh(), follow_symlinks=False)


def pipe(now: Moment) -> None:
    os.mkfifo(now.fresh())


def unix_socket(now: Moment) -> None:
    fresh = now.fresh()
    os.chdir(os.path.dirname(fresh))
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.basename(fresh)[:90])


def device(now: Moment) -> None:
    os.mknod(now.fresh(), stat.S_IFCHR, 0)


def file_to_folder(now: Moment) -> None:
    file = now.file()
    os.unlink(file)
    os.mkdir(file)
    put(os.path.join(file, b"inner"), b"1")


def folder_to_file(now: Moment) -> None:
    folder = now.inner()
    if now.chance.random() < 0.5:
        shutil.rmtree(folder)
        put(folder, b"was a folder")


def folder_to_link(now: Moment) -> None:
    folder = now.inner()
    if now.chance.random() < 0.5:
        shutil.rmtree(folder)
        os.symlink(b"a", folder)


def swap_case(now: Moment) -> None:
    file = now.file()
    folder, name = os.path.split(file)
    os.rename(file, os.path.join(folder, name.swapcase()))


def attribute(now: Moment) -> None:
    """The overlay's own marks, which no program inside may set."""
    names = ("some", "overlay.opaque", "overlay.whiteout", "overlay.redirect", "overlay.metacopy")
    name = f"user.{now.chance.choice(names)}".encode()
    value = now.chance.choice([b"y", b"x", b"/etc"])
    os.setxattr(now.chance.choice([now.file(), now.folder()]), name, value)


def map_memory(now: Moment) -> None:
    with open(now.file(), "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[0] = now.chance.randrange(256)


def nameless(now: Moment) -> None:
    """A file that has no name until it is whole."""
    descriptor = os.open(now.folder(), os.O_TMPFILE | os.O_RDWR)
    try:
        os.write(descriptor, b"from nowhere")
        place = f"/proc/self/fd/{descriptor}".encode()
        if _libc.linkat(_HERE, place, _HERE, now.fresh(), 0x400):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(descriptor)


OPERATIONS: tuple[Callable[[Moment], None], ...] = (
    write,
    change,
    rewrite,
    change_and_back,
    remake,
    remake_folder,
    remake_other,
    keep_time,
    touch,
    set_mode,
    set_folder_mode,
    unlink,
    mkdir,
    remove_folder,
    rename,
    rename_folder,
    move_folder,
    exchange,
    rename_leaving_a_whiteout,
    symlink,
    hard_link,
    pipe,
    unix_socket,
    device,
    file_to_folder,
    folder_to_file,
    folder_to_link,
    swap_case,
    attribute,
    map_memory,
    nameless,
)


def act(root: bytes, seed: str, count: int) -> dict[str, int]:
    """Do this many operations; returns how often which was refused and why."""
    now = Moment(random.Random(seed), root)
    refused: dict[str, int] = {}
    for _ in range(count):
        operation = now.chance.choice(OPERATIONS)
        try:
            operation(now)
        except (OSError, ValueError, IndexError) as fault:  # IndexError: nothing of that kind
            why = getattr(fault, "strerror", None) or type(fault).__name__
            refused[f"{operation.__name__}: {why}"] = (
                refused.get(f"{operation.__name__}: {why}", 0) + 1
            )
        os.chdir(root)
    return refused


def listing(root: bytes) -> dict[str, list[str]]:
    """Path in hexadecimal digits to kind, mode and content, by reading everything."""
    result = {}
    for path in everything(root):
        facts = os.lstat(path)
        kind, mode, content = kind_of(facts), "", ""
        if kind == "file":
            mode = oct(stat.S_IMODE(facts.st_mode))
            content = _digest(path, facts)
        elif kind == "link":
            content = os.readlink(path).hex()
        elif kind == "special":
            content = f"{stat.S_IFMT(facts.st_mode)}:{facts.st_rdev}"
        result[os.path.relpath(path, root).hex()] = [kind, mode, content]
    return result


def _digest(path: bytes, facts: os.stat_result) -> str:
    """Also of a file closed to its owner, which is left closed."""
    closed = not facts.st_mode & stat.S_IRUSR
    if closed:
        os.chmod(path, stat.S_IMODE(facts.st_mode) | stat.S_IRUSR)
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    if closed:
        os.chmod(path, stat.S_IMODE(facts.st_mode))
    return digest


def main() -> None:
    here = os.fsencode(os.getcwd())
    before = listing(here)
    refused = act(here, sys.argv[1], int(sys.argv[2]))
    after = listing(here)
    closed = random.Random(sys.argv[1]).randrange(10)
    for path in reversed(everything(here)):  # some folders end closed to everybody
        if kind_of(os.lstat(path)) == "folder" and zlib.crc32(path) % 10 == closed:
            os.chmod(path, 0o000)
    json.dump({"before": before, "after": after, "refused": refused}, sys.stdout)


if __name__ == "__main__":
    main()
