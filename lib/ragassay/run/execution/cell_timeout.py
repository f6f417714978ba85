"""A cell's limit counts from the last progress that its kernel told: a slow assistant is no hanging cell."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import Any
from unittest import mock

LOOK_S = 1.0  # seconds between two looks at whether the kernel has answered, lives and makes progress
WITHOUT_WORDS = {"KeyboardInterrupt": "interrupted by hand, or after run.cell_timeout_s without progress"}


@contextlib.contextmanager
def counted_from_progress(loops_file: Path) -> Iterator[None]:
    """While this lasts, papermill interrupts a cell only when neither the cell nor the last progress of its
    loops, which the file tells of, began within the limit."""
    from papermill import engines

    class PatientClient(engines.PapermillNotebookClient):
        async def _async_handle_timeout(self, timeout: float, cell: Any = None) -> Any:
            reply = await _reply_while_moving(self, loops_file, timeout)
            return reply or await super()._async_handle_timeout(timeout, cell)

    with mock.patch.object(engines, "PapermillNotebookClient", PatientClient):
        yield


async def _reply_while_moving(client: Any, loops_file: Path, limit_s: float) -> Any:
    """The reply of the kernel to the cell under way; None once its loops stood still for the limit.

    Raises
    ------
    DeadKernelError
        If the kernel died.
    """
    while _stood_still_s(loops_file) < limit_s:
        try:
            return await client.kc.shell_channel.get_msg(timeout=LOOK_S)
        except Empty:
            await client._async_check_alive()
    return None


def _stood_still_s(loops_file: Path) -> float:
    """Seconds since a loop of the kernel last told how far it is; infinite where none did."""
    try:
        return time.time() - loops_file.stat().st_mtime
    except OSError:
        return float("inf")
