"""The seal: network use is refused except to named endpoints, and every attempt is noted.

Two layers. An audit hook refuses Python's socket calls. On Linux, where the machine allows it and no endpoint
is named, neither here nor for the assistant's process, the kernel process also leaves the network: it enters
a network namespace without any interface, which holds for native code and child processes too.

An endpoint named by host is looked up once, before the seal closes; from then on the name stands for these
addresses, and they alone may be connected to. A name server that answers otherwise later changes nothing.
A sealed process ends with the one that started it.
"""

import contextlib
import ctypes
import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ragassay import provenance
from ragassay.errors import NetworkRefused

CLONE_NEWNET, CLONE_NEWUSER = 0x40000000, 0x10000000
LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
CALLS = ("socket.connect", "socket.sendto", "socket.sendmsg", *LOOKUPS)


def close(
    allowed: tuple[str, ...] = (),
    note: Callable[[dict[str, Any]], None] = provenance.append,
    leave: bool = True,
) -> str:
    """Refuse network use in this process from now on; returns the policy in words, with the addresses that
    allowed names stand for.

    Parameters
    ----------
    allowed : endpoints `host`, `host:port` or `[IPv6 address]:port` that may be reached
    leave : whether to leave the network where nothing is allowed, which binds the processes started from
        this one too; not where one of them is sealed by itself, with an endpoint of its own
    note : called with every attempt that is refused; into the trace, if nothing else is said
    """
    endpoints = [_endpoint(entry) for entry in allowed]
    pinned = {host: _addresses(host) for host in sorted({host for host, _ in endpoints})}
    if socket.getaddrinfo is not _looked_up:
        sys.addaudithook(_hook)
        socket.getaddrinfo = _looked_up
    places = {(name, port) for host, port in endpoints for name in (host, *pinned[host])}
    _policy.update(allowed=places, pinned=pinned, note=note, active=True)
    isolated = leave and not allowed and _leave_network()
    layers = "audit hook and a network namespace without interfaces" if isolated else "audit hook"
    said = [
        entry if _numeric(host) else f"{entry} ({', '.join(pinned[host]) or 'its address was not found'})"
        for entry, (host, _) in zip(allowed, endpoints, strict=True)
    ]
    return f"sealed by {layers}; allowed: {', '.join(said) or 'nothing'}"


def die_with(parent: int) -> None:
    """On Linux: this process is killed when the thread that started it ends; at once if that is gone."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


def permits(allowed: Sequence[str], host_and_port: str) -> bool:
    """Whether a seal closed with these entries would let this `host:port` be reached by that name."""
    host, port = _endpoint(host_and_port)
    return bool({(host, ""), (host, port)} & {_endpoint(entry) for entry in allowed})


_policy: dict = {"active": False, "allowed": set(), "pinned": {}}
_system_lookup = socket.getaddrinfo


def _endpoint(entry: str) -> tuple[str, str]:
    """Host and port of `host`, `host:port`, `[::1]:port` or `::1:port`; the port is "" where any will do."""
    bare = entry.strip().lower()
    if bare.startswith("["):
        host, _, rest = bare[1:].partition("]")
        return host, rest.removeprefix(":")
    host, colon, port = bare.rpartition(":")
    return (host, port) if colon and port.isdigit() and not _numeric(bare) else (bare, "")


def _numeric(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(host))
    return False


def _addresses(host: str) -> tuple[str, ...]:
    """What the host's name stands for now; nothing for a number, or where it cannot be looked up."""
    if _numeric(host):
        return ()
    try:
        found = _system_lookup(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):  # the second: no name at all
        return ()
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def _looked_up(host, port, *more, **options):
    """`socket.getaddrinfo`, where an allowed name keeps the addresses it had when the seal closed."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    addresses = _policy["pinned"].get(name.lower() if isinstance(name, str) else name)
    if not addresses:
        return _system_lookup(host, port, *more, **options)
    found = []
    for address in addresses:
        with contextlib.suppress(socket.gaierror):  # an address of another family than is asked for
            found += _system_lookup(address, port, *more, **options)
    return found or _system_lookup(addresses[0], port, *more, **options)


def _hook(event: str, args: tuple) -> None:
    if event not in CALLS or not _policy["active"]:
        return
    address: Any = (*args, "") if event in LOOKUPS else args[1]
    if not isinstance(address, tuple) or len(address) < 2 or address[0] is None:
        return  # no network is involved (Unix sockets)
    name, port = address[:2]
    host = name.decode("ascii", "replace") if isinstance(name, bytes) else str(name)
    if not {(host.lower(), ""), (host.lower(), str(port))} & _policy["allowed"]:
        _policy["note"]({"event": "network", "call": event, "address": f"{host}:{port}"})
        raise NetworkRefused(
            "a sealed run refused a network connection",
            found=f"{event} to {host}:{port}",
            do="if the run needs this endpoint, name it in the parameters: run: allow: [host:port]",
        )


def _leave_network() -> bool:
    """Enter an empty network namespace if the operating system lets us; whether it did."""
    is_linux = sys.platform.startswith("linux")
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None) if is_linux else None
    if unshare is None or unshare(CLONE_NEWNET) == 0:
        return unshare is not None
    user, group = os.getuid(), os.getgid()
    if unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    # the user's own identity inside the new user namespace
    identity = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    with contextlib.suppress(OSError):
        for name, text in identity.items():
            Path("/proc/self", name).write_text(text)
    return True
