"""The seal: in a process of its own each time, since it cannot be taken off."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ragassay

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(ragassay.__file__).parents[1])}
TRY = """
import os, socket, subprocess, sys
from ragassay import network_seal
print(network_seal.close({arguments}))
{attempt}
"""
CONNECT = """
try:
    socket.create_connection(("{host}", {port}), timeout=2)
    print("connected")
except OSError as refusal:
    print(type(refusal).__name__)
"""


def sealed(tmp_path, attempt, arguments=""):
    trace = tmp_path / "trace"
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(arguments=arguments, attempt=attempt)],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT | {"RAGASSAY_TRACE": str(trace)},
    )
    entries = [json.loads(line) for line in trace.read_text().splitlines()] if trace.exists() else []
    return done.stdout.splitlines(), entries


@pytest.fixture
def server():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("host", ["192.0.2.1", "example.invalid", "127.0.0.1"])
def test_a_connection_is_refused_and_noted(tmp_path, host):
    lines, entries = sealed(tmp_path, CONNECT.format(host=host, port=9))
    assert lines[-1] == "NetworkRefused"
    assert [e["address"] for e in entries if e["event"] == "network"] == [f"{host}:9"]


def test_a_name_is_not_looked_up(tmp_path):
    lines, _ = sealed(
        tmp_path,
        "try: socket.gethostbyname('example.invalid')\nexcept OSError as refusal: print(type(refusal).__name__)",
    )
    assert lines[-1] == "NetworkRefused"


def test_a_datagram_is_refused(tmp_path):
    attempt = "try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))\nexcept OSError as refusal: print(type(refusal).__name__)"
    assert sealed(tmp_path, attempt)[0][-1] == "NetworkRefused"


def test_a_named_endpoint_may_be_reached(tmp_path, server):
    lines, entries = sealed(
        tmp_path, CONNECT.format(host="127.0.0.1", port=server), arguments=f"allowed=('127.0.0.1:{server}',)"
    )
    assert lines[-1] == "connected" and not entries


def test_a_named_host_is_reached_by_its_addresses(tmp_path, server):
    """`localhost` is looked up before the seal closes; name and number then lead there, on the port named alone."""
    attempt = CONNECT.format(host="localhost", port=server) + CONNECT.format(host="127.0.0.1", port=server)
    lines, entries = sealed(tmp_path, attempt, arguments=f"allowed=('LocalHost:{server}',)")
    assert lines[1:] == ["connected", "connected"] and not entries
    assert f"LocalHost:{server} (" in lines[0] and "127.0.0.1" in lines[0]
    other = CONNECT.format(host="localhost", port=server) + CONNECT.format(host="192.0.2.1", port=server + 1)
    assert (
        sealed(tmp_path, other, arguments=f"allowed=('localhost:{server + 1}',)")[0][1:]
        == ["NetworkRefused"] * 2
    )


ANSWERS = """
import socket
replies = {{"judge.example": ["{address}"]}}
def lookup(host, port, family=0, type=0, proto=0, flags=0):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in replies.get(host, [host])]
socket.getaddrinfo = lookup
"""


def with_names(tmp_path, address, attempt, arguments):
    """Sealed in a process whose name server knows judge.example at this address, until `attempt` changes its mind."""
    code = ANSWERS.format(address=address) + TRY.format(arguments=arguments, attempt=attempt)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    return done.stdout.splitlines()


def test_a_name_server_that_changes_its_mind_changes_nothing(tmp_path, server):
    attempt = "replies['judge.example'] = ['192.0.2.1']" + CONNECT.format(host="Judge.example", port=server)
    lines = with_names(tmp_path, "127.0.0.1", attempt, f"allowed=('judge.example:{server}',)")
    assert lines == [f"sealed by audit hook; allowed: judge.example:{server} (127.0.0.1)", "connected"]


def test_a_name_that_is_not_found_is_said(tmp_path):
    lines, _ = sealed(
        tmp_path,
        CONNECT.format(host="192.0.2.1", port=443),
        arguments=f"allowed=('nowhere.invalid:443', '{'x' * 300}')",
    )
    assert (
        lines[0].count("its address was not found") == 2
        and "nowhere.invalid:443 (its address was not found" in lines[0]
        and lines[1] == "NetworkRefused"
    )


def test_unix_sockets_are_no_network(tmp_path):
    attempt = f"s = socket.socket(socket.AF_UNIX); s.bind({str(tmp_path / 'u')!r}); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect({str(tmp_path / 'u')!r}); print('connected')"
    assert sealed(tmp_path, attempt)[0][-1] == "connected"


def test_a_child_process_has_no_network_either(tmp_path, server):
    child = f"import socket; socket.create_connection(('127.0.0.1', {server}))"
    lines, _ = sealed(
        tmp_path, f"print(subprocess.run([sys.executable, '-c', {child!r}], capture_output=True).returncode)"
    )
    if "namespace" not in lines[0]:
        pytest.skip("this machine lets no process leave the network: the audit hook is the only layer")
    assert lines[-1] == "1"
