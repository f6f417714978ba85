"""One notebook, executed by papermill in a sealed kernel of its own, and its progress on the terminal. The
executed copy is readable whatever happens."""

import contextlib
import json
import logging
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

from tqdm import tqdm

from ragassay import loop_progress, output_files, provenance
from ragassay.errors import ENDED, NotebookError, NotMeasuredError
from ragassay.run import sealed_kernel
from ragassay.run.parameters import MODELS
from ragassay.sanitized_text import clean

LOOK_S, SAY_S = 1.0, 60.0  # seconds between two looks at the loops; between two lines of one elsewhere
RUN_ID = "run_id"  # among the settings: the run that a kernel belongs to
REACHED = "reached"  # among the settings: endpoints of the assistant's process, which no notebook reaches
KERNEL = "ragassay-sealed"
ARGUMENTS = "ragassay -f {connection_file} --HistoryManager.enabled=False --log-level=CRITICAL"
MEND = "correct the cause and run again: finished notebooks and answers are kept"
BANNER = "papermill-error-cell-tag"
ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")
STYLER = re.compile(r'<table id="(T_[0-9a-f]{5})"')
ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Progress:
    """One changing line on a terminal; elsewhere a line per notebook, and one a minute of a long loop.

    quiet : whether nothing is written
    """

    stream: TextIO = field(default_factory=lambda: sys.stderr)
    quiet: bool = False
    _name: str = ""
    _cell: str = ""
    _started: float = 0.0
    _said: float = 0.0
    _bar: Any = None

    def start(self, name: str) -> None:
        """A notebook begins."""
        self._name, self._cell, self._started, self._said = name, "", time.monotonic(), time.monotonic()
        self._bar = tqdm(
            desc=f"  {name:<20} starting",
            file=self.stream,
            disable=self.quiet or None,  # None: no changing line where there is no terminal
            bar_format="{desc}",
            leave=False,
            dynamic_ncols=True,
        )

    def cell(self, number: int, of: int) -> None:
        """A cell of it begins (number counts from 1)."""
        self._cell = f"cell {number}/{of}"
        self._bar.set_description_str(f"  {self._name:<20} {self._cell}")

    def end(self, name: str, outcome: str) -> None:
        """A notebook ends, or is passed over; the outcome stays on the terminal."""
        spent = "skipped"
        if self._bar is not None:
            self._bar.close()
            self._bar, spent = None, f"{time.monotonic() - self._started:.0f} s"
        self.say(f"  {name:<20} {outcome} ({spent})")

    def say(self, text: str) -> None:
        """A line that stays."""
        if not self.quiet:
            tqdm.write(clean(text, 0), file=self.stream)

    @contextlib.contextmanager
    def watching(self, file: Path) -> Iterator[None]:
        """While this lasts, what the kernel tells of its loops in the file is said."""
        done = threading.Event()

        def look() -> None:
            while not done.wait(LOOK_S):
                self.look(loop_progress.read(file))

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    def look(self, loops: list[dict[str, Any]]) -> None:
        """Say how far the outermost loop of a notebook is; nothing where there is none."""
        if not loops:
            return
        outer = loops[0]
        words = f"{outer['what']} {outer['done']:,} of {outer['total']:,}"
        if 0 < outer["done"] < outer["total"]:
            left_s = (time.time() - outer["since"]) * (outer["total"] / outer["done"] - 1)
            words += f", about {left_s / 60:.1f} min left"
        self._bar.set_description_str(f"  {self._name:<20} {self._cell:<10} {clean(words, 0)}")
        if self._bar.disable and time.monotonic() - self._said >= SAY_S:
            self._said = time.monotonic()
            self.say(f"  {self._name:<20} {words}")


def execute(
    notebook: Path, output: Path, parameters: dict, *, settings: dict, trace: Path, progress: Progress
) -> None:
    """Execute a notebook with papermill; the executed copy is normalised so that two equal runs leave equal
    bytes.

    Raises NotebookError if a cell fails or runs too long: names the notebook, the cell and the reason. The
    executed copy is kept."""
    import nbformat
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    output.parent.mkdir(parents=True, exist_ok=True)
    progress.start(notebook.stem)
    # a kernel's last words, cut off at shutdown
    logging.getLogger("tornado.general").setLevel(logging.CRITICAL)
    logging.getLogger("papermill").setLevel(logging.ERROR)  # of defaults with two "=" it knows nothing
    loops_file, books = trace.with_suffix(".loops"), list[Any]()

    def begin(cell: Any, cell_index: int) -> None:
        code = [place for place, one in enumerate(books[0].cells) if one.cell_type == "code"]
        progress.cell(code.index(cell_index) + 1, len(code))

    try:
        with _kernel(settings, trace) as config, progress.watching(loops_file):
            papermill.execute_notebook(
                str(notebook),
                str(output),
                parameters,
                request_save_on_cell_execute=False,  # the copy is written once, at its end
                kernel_name=KERNEL,
                language="python",
                cwd=str(Path.cwd()),
                progress_bar=False,
                log_output=False,
                execution_timeout=settings.get("cell_timeout_s") or None,
                start_timeout=120,
                config=config,
                on_notebook_start=lambda notebook: books.append(notebook),
                on_cell_execute=begin,
            )
    except PapermillExecutionError as failure:
        if failure.ename != NotMeasuredError.__name__:
            found = f"{failure.ename}: {ANSI.sub('', failure.evalue) or 'interrupted by hand'}"
            what = f"{notebook.stem} stopped in cell {failure.exec_count}"
            raise NotebookError(what, where=output, found=found, do=MEND) from None
        _end_early(output, failure.evalue)
    except (CellTimeoutError, DeadKernelError) as failure:
        for book in books:
            nbformat.write(book, output)
        died = isinstance(failure, DeadKernelError)
        found = "its kernel died: is memory free?" if died else "a cell took longer than run.cell_timeout_s"
        raise NotebookError(f"{notebook.stem} stopped", where=output, found=found, do=MEND) from failure
    finally:
        normalise(output)
        loops_file.unlink(missing_ok=True)


def _end_early(path: Path, said: str) -> None:
    """A notebook that raised NotMeasuredError has ended, not failed: its copy holds the reason, no error."""
    book = json.loads(path.read_text(encoding="utf-8"))
    reason = "; ".join(line.strip() for line in ANSI.sub("", said).splitlines())
    shown = {"text/plain": reason, ENDED: {"reason": reason}}
    ended = {"output_type": "display_data", "data": shown, "metadata": {}}
    cells = [cell for cell in book["cells"] if BANNER not in cell["metadata"].get("tags", [])]
    for cell in (cell for cell in cells if "outputs" in cell):
        cell["outputs"] = [ended if each["output_type"] == "error" else each for each in cell["outputs"]]
    path.write_text(json.dumps(book | {"cells": cells}, ensure_ascii=False), encoding="utf-8")


def normalise(path: Path) -> None:
    """Remove what differs between two equal runs: times, absolute paths, random names, memory addresses."""
    if not path.exists():
        return
    content = json.loads(path.read_text(encoding="utf-8"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    kept = {k: v for k, v in content["metadata"].items() if k not in ("papermill", "widgets")}
    content["metadata"] = kept | {"kernelspec": kernel}
    for number, cell in enumerate(content["cells"]):
        cell["id"] = f"c{number:03d}"
        for name in ("execution", "papermill"):
            cell["metadata"].pop(name, None)
        for output in cell.get("outputs", []):
            normalise_output(output)
    output_files.write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def normalise_output(output: dict[str, Any]) -> None:
    """The same of one output of a cell."""
    data = output.get("data", {})
    if "text/plain" in data:
        data["text/plain"] = ADDRESS.sub("", "".join(data["text/plain"]))
    if styled := STYLER.search(html := "".join(data.get("text/html", ""))):
        data["text/html"] = html.replace(styled[1], "T_styler")
    data.get("application/vnd.jupyter.widget-view+json", {})["model_id"] = ""


@contextlib.contextmanager
def _kernel(settings: dict[str, Any], trace: Path) -> Iterator[Any]:
    """A kernel specification for sealed kernels, found by Jupyter only while this lasts."""
    from jupyter_client.provisioning import local_provisioner
    from traitlets.config import Config

    with tempfile.TemporaryDirectory(prefix="ragassay-", ignore_cleanup_errors=True) as folder:
        spec = Path(folder) / "kernels" / KERNEL
        spec.mkdir(parents=True)
        described = {"argv": ARGUMENTS.split(), "display_name": KERNEL, "language": "python"}
        (spec / "kernel.json").write_text(json.dumps(described | {"env": environment(settings, trace)}))
        # Jupyter looks for kernels in this folder first, and IPython's own folder is below it: start-up files
        # in the user's home would be executed with the notebook
        path = os.pathsep.join(filter(None, [folder, os.environ.get("JUPYTER_PATH")]))
        with (
            mock.patch.dict(os.environ, JUPYTER_PATH=path, IPYTHONDIR=f"{folder}/ipython"),
            mock.patch.object(local_provisioner, "launch_kernel", sealed_kernel.ForkedKernel),
        ):
            yield Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/k"}})


def environment(settings: dict[str, Any], trace: Path) -> dict[str, str]:
    """What a sealed kernel is given: where to leave its trace, what it may reach, which models it uses."""
    return {
        provenance.TRACE: str(trace.resolve()),
        loop_progress.FILE: str(trace.resolve().with_suffix(".loops")),
        "RAGASSAY_ALLOW": ",".join(settings["allow"]),
        "RAGASSAY_REACHED": ",".join(settings.get(REACHED, [])),
        "RAGASSAY_CONCURRENCY": str(settings.get("concurrency", 1)),
        "RAGASSAY_PER_MINUTE": str(settings.get("per_minute", 0)),
        **{f"RAGASSAY_{name.upper()}": settings[name] for name in (*MODELS, "device")},
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "PYTHONSTARTUP": "",
        # printed or not depending on what the cache already holds
        "PYTHONWARNINGS": "ignore:IProgress not found",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "0" if settings["allow"] else "1",
    }
