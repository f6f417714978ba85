"""The runner: parameters + notebooks -> papermill in order -> manifest -> report.

runner            one run from beginning to end: what it executes, what it says at its end
parameters        the notebooks' tagged cells as schema, a pydantic model of each
engagement        the YAML, checked before anything runs; run_section.txt declares its section `run`
named_values      whether there is what a value names, and whether a gate can be judged
parameter_file    the parameter files that the kit writes; the form for JupyterLab; the demonstration
execute_notebook  one notebook in a sealed_kernel, and the progress line
run_records       what each notebook ran with, read and wrote; one run at a time; manifest, list of files
verification      hashes, signatures, executed again
question_counts   how many questions a run asks at most, what they cost, which gates so few cannot pass
gate_results      what became of the gates, for other programs; the cause of the exit code
explore           a copy of a run to try things in, and what was changed there adopted
"""

from importlib import import_module
from typing import Any

__all__ = ["Outcome", "notebooks", "run"]


def __getattr__(name: str) -> Any:
    """On first use: a notebook's kernel starts without the runner."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'parameters' if name == 'notebooks' else 'runner'}"), name)
