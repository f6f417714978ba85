"""The seal: network use is refused except to named endpoints, and every attempt is noted.

Two layers. An audit hook refuses Python's socket calls. On Linux, where the machine allows it and no endpoint is named, the kernel process
also leaves the network: it enters a network namespace without any interface, which holds for native code and child processes too.
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

from ragassay import evidence
from ragassay.errors import NetworkRefused

CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
CALLS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
LOOPBACK = ("127.", "::1", "localhost")
_installed = False


def close(allowed: tuple[str, ...] = (), loopback: bool = False) -> str:
    """Refuse network use in this process from now on; returns the policy in words.

    Parameters
    ----------
    allowed : endpoints `host` or `host:port` that may be reached
    loopback : whether this machine's own addresses may be reached (a kernel that talks over TCP needs them)
    """
    global _installed
    if not _installed:
        sys.addaudithook(_hook)
        _installed = True
    _policy.update(allowed=tuple(allowed), loopback=loopback, active=True)
    isolated = not allowed and not loopback and _leave_network()
    layers = "audit hook and a network namespace without interfaces" if isolated else "audit hook"
    return f"sealed by {layers}; allowed: {', '.join(allowed) or 'nothing'}"


_policy: dict = {"active": False, "allowed": (), "loopback": False}


def _hook(event: str, args: tuple) -> None:
    if event in CALLS and _policy["active"]:
        host, port = _address(event, args)
        if host is not None and not _permitted(host, port):
            evidence.append({"event": "network", "call": event, "address": f"{host}:{port}"})
            raise NetworkRefused(
                "a sealed run refused a network connection",
                found=f"{event} to {host}:{port}",
                do="if the run needs this endpoint, name it in the parameters: run: allow: [host:port]",
            )


def _address(event: str, args: tuple) -> tuple[str | None, object]:
    """Host and port of an audited call; host is None where no network is involved (Unix sockets)."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        host = args[0]
        return (host.decode("ascii", "replace") if isinstance(host, bytes) else host), args[1] if len(args) > 1 else ""
    address = args[1] if len(args) > 1 else None
    return (str(address[0]), address[1]) if isinstance(address, tuple) and len(address) >= 2 else (None, "")


def _permitted(host: str, port: object) -> bool:
    if _policy["loopback"] and host.startswith(LOOPBACK):
        return True
    return host in _policy["allowed"] or f"{host}:{port}" in _policy["allowed"]


def _leave_network() -> bool:
    """Enter an empty network namespace if the operating system lets us; whether it did."""
    if not sys.platform.startswith("linux"):
        return False
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
    if unshare is None:
        return False
    if unshare(CLONE_NEWNET) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    with contextlib.suppress(OSError):
        _map_identity(user, group)
    return True


def _map_identity(user: int, group: int) -> None:
    """Keep the user's own identity inside the new user namespace."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)
