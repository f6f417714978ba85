"""What a run would execute, and why, before anything is executed or written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragassay.run.execution import notebook_record, skip_unchanged
from ragassay.run.execution.notebook_sequence import NAMED, Selection, stale
from ragassay.run.runner import Asked, pinned, prepare

EXECUTED, UNCHANGED, DEPENDS, LEFT_OUT = "executed", "unchanged", "depends", "left out"
IF_CHANGED = "executed if what it reads changes"
ASKED_AGAIN = "every question is asked again"


@dataclass(frozen=True)
class Step:
    """A notebook, what would become of it (executed, unchanged, depends, left out), and why."""

    notebook: str
    action: str
    why: str = ""


def plan(
    path: Path,
    reports: Path,
    *,
    select: Selection | None = None,
    fresh: bool = False,
    given: tuple[str, ...] = (),
) -> tuple[Asked, list[Step]]:
    """The engagement as it would be run, and a step for each of its notebooks; nothing is written.

    Parameters as of `ragassay.run.run`.

    Raises
    ------
    ParameterError
        With every flaw of the parameters, or if a notebook that is left out would have to be executed first.
    """
    with pinned(path):
        asked = prepare(path, reports, given=given)
        return asked, _steps(asked, select or Selection(), fresh)


def _steps(asked: Asked, select: Selection, fresh: bool) -> list[Step]:
    names: Sequence[str] = list(asked.books.paths)
    anew, left_out = select.anew(names), select.left_out(names)
    last = max(names.index(name) for name in set(names) - left_out)
    steps: list[Step] = []
    for place, name in enumerate(names):
        why = _why(asked, name, fresh)
        if name in left_out and why and place < last:
            raise stale(name, why)
        executed_before = any(step.action in (EXECUTED, DEPENDS) for step in steps)
        steps.append(_step(name, why, executed_before, name in anew, name in left_out))
    return steps


def _step(name: str, why: str, executed_before: bool, is_anew: bool, is_left_out: bool) -> Step:
    if is_left_out:
        return Step(name, LEFT_OUT, why)
    if is_anew or why:
        return Step(name, EXECUTED, why or NAMED)
    return Step(name, DEPENDS, IF_CHANGED) if executed_before else Step(name, UNCHANGED)


def _why(asked: Asked, name: str, fresh: bool) -> str:
    if fresh and (notebook_record.load(asked.run_dir, name) or {}).get("system"):
        return ASKED_AGAIN
    return skip_unchanged.why_execute(asked.run_dir, name, asked.books.key(name))
