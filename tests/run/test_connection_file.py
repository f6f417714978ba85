"""The key to a kernel lies on disk no longer than the kernel needs to read it: whoever has it may have code executed there."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file


@pytest.mark.slow
def test_the_connection_file_is_gone_before_code_runs(tmp_path):
    file, known = write_connection_file(
        str(tmp_path / "c.json"), transport="ipc", ip=str(tmp_path / "k"), key=b"secret"
    )
    told = {"IPYTHONDIR": str(tmp_path), "JPY_PARENT_PID": str(os.getpid()), "RAGASSAY_ALLOW": "127.0.0.1:1"}
    kernel = subprocess.Popen(
        [sys.executable, "-m", "ragassay.run.execution.sealed_kernel", "-f", file],
        env=os.environ | told,
        cwd=tmp_path,
    )
    try:
        until = time.monotonic() + 60
        while Path(file).exists() and time.monotonic() < until:
            time.sleep(0.05)
        client = BlockingKernelClient()
        client.load_connection_info(known)
        client.start_channels()
        found = client.execute_interactive("import os; print(os.path.exists('c.json'))", timeout=30)
        assert found["content"]["status"] == "ok" and not Path(file).exists()
    finally:
        client.stop_channels()
        kernel.kill()
        kernel.wait()
