"""What the assistant's process may not do, whatever code it runs.

On Linux with Landlock (a kernel from 5.13 on) it writes below the folders it is given and to /dev/null, and
nowhere else; it reads nothing of other processes in /proc (their environment may hold keys), traces none and,
from ABI 6 on, signals none; its children are held likewise. It dies with the process that started it.
Not covered: reading files, changes of mode or owner, Unix sockets that have a path, memory, a full disk.
"""

import contextlib
import ctypes
import os
import signal
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # system calls, of the same number everywhere
VERSION, BENEATH = 1, 1
WRITE_FILE, READ_FILE, REFER, TRUNCATE = 1 << 1, 1 << 2, 1 << 13, 1 << 14
REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))  # directories, files, devices, sockets, pipes, links
SCOPES = 0b11  # abstract Unix sockets and signals
NOT_ENFORCED = "writes not refused by this system: tables are hashed between notebooks"


def confine(writable: Sequence[Path], parent: int) -> str:
    """Bind this process for good; returns what its writes are held by, in words.

    writable : existing folders below which it may write; parent : without it this process ends
    """
    die_with(parent)
    abi = landlock_abi()
    return in_words(abi if abi >= 1 and _restrict(writable, abi) else 0)


def in_words(abi: int) -> str:
    """What holds the writes of an assistant's process under this version of Landlock; 0: none."""
    return f"writes outside its own folder and cache refused by Landlock (ABI {abi})" if abi else NOT_ENFORCED


def die_with(parent: int) -> None:
    """On Linux: this process is killed when the thread that started it ends; at once if that is gone."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def landlock_abi() -> int:
    """The version of Landlock that this system enforces; 0 if none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION), 0)


def _restrict(writable: Sequence[Path], abi: int) -> bool:
    """Whether Landlock now refuses this process every other write, and what is another process's in /proc."""
    writing = WRITE_FILE | REMOVE_AND_MAKE | (REFER if abi >= 2 else 0) | (TRUNCATE if abi >= 3 else 0)
    permitted = [(folder, writing) for folder in writable]
    permitted.append((Path(os.devnull), writing & (WRITE_FILE | TRUNCATE)))
    top = [place for place in Path("/").iterdir() if place.name != "proc"]
    common = [one for one in Path("/proc").iterdir() if not one.name.isdigit() and not one.is_symlink()]
    permitted += [(place, READ_FILE) for place in (*top, *common, Path(f"/proc/{os.getpid()}"))]
    attributes = struct.pack("=QQQ", writing | READ_FILE, 0, SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    libc = ctypes.CDLL(None)
    rules = libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if rules < 0:
        return False
    try:
        for place, rights in permitted:
            with contextlib.suppress(OSError):  # what cannot be permitted stays forbidden
                below = os.open(place, os.O_PATH | os.O_CLOEXEC)
                libc.syscall(ADD_RULE, rules, BENEATH, struct.pack("=Qi", rights, below), 0)
                os.close(below)
        held = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        return held and libc.syscall(RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)
