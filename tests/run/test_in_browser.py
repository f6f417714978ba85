"""The form in a real browser: JupyterLab opened in a headless Chromium, a number changed there, the YAML changed by it."""

import contextlib
import importlib.util
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
import yaml

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(
        importlib.util.find_spec("jupyterlab") is None, reason="JupyterLab is not installed: extra lab"
    ),
]
FORM = "import ragassay\nragassay.parameter_form('mine.yml', '04_calibration')"
IS_READY = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
RUN_ALL = "void window.jupyterapp.commands.execute('notebook:run-all-cells')"
CHANGE = """(() => {
  const row = [...document.querySelectorAll('.jupyter-widgets')].find(
    each => each.querySelector(':scope > label')?.textContent === 'alpha' && each.querySelector('input'));
  const button = document.querySelector('button.jupyter-button');
  if (!row || !button) return false;
  const input = row.querySelector('input');
  input.value = '0.25';
  input.dispatchEvent(new Event('change', {bubbles: true}));
  button.click();
  return true;
})()"""


@contextlib.contextmanager
def started(*words, **more):
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


def wait_for(what, seconds=90.0, pause=0.3):
    """The first thing that is not empty."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError, KeyError, StopIteration, IndexError):
            if found := what():
                return found
        time.sleep(pause)
    raise AssertionError("nothing came in time")


def page_of(profile: Path):
    """The address at which the browser's page is told what to do."""
    port = (profile / "DevToolsActivePort").read_text().splitlines()[0]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as reply:
        return next(each["webSocketDebuggerUrl"] for each in json.load(reply) if each["type"] == "page")


class Page:
    """A page of the browser, in which expressions are evaluated."""

    def __init__(self, address: str):
        from websocket import create_connection

        self.socket, self.numbers = (
            create_connection(address, suppress_origin=True, timeout=60),
            itertools.count(1),
        )

    def evaluate(self, expression: str):
        number = next(self.numbers)
        given = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        self.socket.send(json.dumps({"id": number, "method": "Runtime.evaluate", "params": given}))
        while (reply := json.loads(self.socket.recv())).get("id") != number:
            pass
        return reply["result"]["result"].get("value")


def test_a_number_changed_in_the_browser_is_in_the_file(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"question": "a?", "answer": "b.", "contexts": ["b."]}\n')
    (tmp_path / "mine.yml").write_text(
        "00_scope:\n  answers_log: log.jsonl\n04_calibration:\n  alpha: 0.1  # mine\n"
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FORM)])
    book.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, tmp_path / "form.ipynb")
    config = {
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    lab = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    own = [
        "--ServerApp.ip=127.0.0.1",
        "--IdentityProvider.token=",
        "--ServerApp.port=0",
        "--LabApp.news_url=",
    ]
    with started(*lab, *own, cwd=tmp_path, env=os.environ | config):
        server = wait_for(
            lambda: json.loads(next((tmp_path / "runtime").glob("jpserver-*.json")).read_text())["url"]
        )
        words = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            "--no-first-run",
        ]
        profile = tmp_path / "profile"
        with started(CHROMIUM, *words, f"--user-data-dir={profile}", f"{server}lab/tree/form.ipynb"):
            page = Page(wait_for(lambda: page_of(profile)))
            wait_for(lambda: page.evaluate(IS_READY))
            page.evaluate(RUN_ALL)
            wait_for(lambda: page.evaluate(CHANGE))
            changed = wait_for(lambda: "0.25" in (tmp_path / "mine.yml").read_text())
    assert changed and yaml.safe_load((tmp_path / "mine.yml").read_text())["04_calibration"] == {
        "alpha": 0.25
    }
