"""The seal: in a process of its own each time, since it cannot be taken off."""

import json
import shutil
import subprocess
import sys

import pytest

TRY = """
import os, socket, subprocess, sys
from ragassay.run import seal
print(seal.close({arguments}))
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
        env={"PATH": "/usr/bin:/bin", "RAGASSAY_TRACE": str(trace)},
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
    lines, _ = sealed(tmp_path, "try: socket.gethostbyname('example.invalid')\nexcept OSError as refusal: print(type(refusal).__name__)")
    assert lines[-1] == "NetworkRefused"


def test_a_datagram_is_refused(tmp_path):
    attempt = "try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))\nexcept OSError as refusal: print(type(refusal).__name__)"
    assert sealed(tmp_path, attempt)[0][-1] == "NetworkRefused"


def test_a_named_endpoint_may_be_reached(tmp_path, server):
    lines, entries = sealed(tmp_path, CONNECT.format(host="127.0.0.1", port=server), arguments=f"allowed=('127.0.0.1:{server}',)")
    assert lines[-1] == "connected" and not entries


def test_another_port_of_that_host_may_not(tmp_path, server):
    assert (
        sealed(tmp_path, CONNECT.format(host="127.0.0.1", port=server), arguments=f"allowed=('127.0.0.1:{server + 1}',)")[0][-1] == "NetworkRefused"
    )


def test_unix_sockets_are_no_network(tmp_path):
    attempt = f"s = socket.socket(socket.AF_UNIX); s.bind({str(tmp_path / 'u')!r}); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect({str(tmp_path / 'u')!r}); print('connected')"
    assert sealed(tmp_path, attempt)[0][-1] == "connected"


def test_a_child_process_has_no_network_either(tmp_path, server):
    child = f"import socket; socket.create_connection(('127.0.0.1', {server}))"
    lines, _ = sealed(tmp_path, f"print(subprocess.run([sys.executable, '-c', {child!r}], capture_output=True).returncode)")
    if "namespace" not in lines[0]:
        pytest.skip("this machine lets no process leave the network: the audit hook is the only layer")
    assert lines[-1] == "1"


def test_the_policy_is_said(tmp_path):
    assert sealed(tmp_path, "")[0][0].startswith("sealed by audit hook")
    assert "a:1" in sealed(tmp_path, "", arguments="allowed=('a:1',)")[0][0]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: the audit hook's own tests remain")
def test_no_system_call_reaches_for_the_network(engagement):
    """A whole run under strace: no internet socket is connected, by any process of it."""
    command = [
        "strace",
        "-f",
        "-e",
        "trace=connect,sendto,sendmsg",
        "-o",
        "calls",
        sys.executable,
        "-c",
        "from pathlib import Path; from ragassay.run import run; run(Path('tiny.yml'), render=False)",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ptrace" in done.stderr.lower() and done.returncode:
        pytest.skip("this machine lets no process be traced")
    assert done.returncode == 0, done.stderr
    calls = (engagement / "calls").read_text()
    assert "connect(" in calls  # Unix sockets of the kernels: the tracing works
    assert "AF_INET" not in calls
