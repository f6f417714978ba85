"""The runner: parameters + notebooks -> papermill in order -> manifest -> report.

runner                one run from beginning to end: what it executes, what it says at its end
parameters            the notebooks' tagged cells as schema, a pydantic model of each
parameter_form        a form for the parameters of one notebook, saved into the YAML
parameter_file/       the YAML: engagement (checked before anything runs), yaml_reader, init_file, settings
parameter_checks/     whether there is what a value names: named_values, gate_rules
execution/            notebook_sequence, execute_notebook in a sealed_kernel, notebook_record
integrity/            manifest, checksums, signing, verification
dry_run               what a run would execute and why, how many questions it would ask, what they cost
run_record            which run this is; one that was stopped goes on; one at a time in a folder
gate_results          what became of the gates, for other programs; the cause of the exit code
explore               a copy of a run to try things in, and what was changed there adopted
demo, doctor          the example, smaller; what this machine can do for a run
"""

from importlib import import_module
from typing import Any

__all__ = ["Outcome", "notebooks", "run"]


def __getattr__(name: str) -> Any:
    """On first use: a notebook's kernel starts without the runner."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'parameters' if name == 'notebooks' else 'runner'}"), name)
