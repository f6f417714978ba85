"""The runner: parameters + notebooks -> papermill in order -> manifest -> report.

runner                one run from beginning to end
parameters            the notebooks' tagged cells as schema
parameter_form        a form for the parameters of one notebook
parameter_file/       the YAML: engagement (checked before anything runs), yaml_reader, yaml_edit, init_file,
                      command_line_values, run_settings
parameter_checks/     whether a value can be: type, range, names, files, rules of gates, the report's date
execution/            notebook_choice, notebook_sequence, execute_notebook in a sealed_kernel, skip_unchanged,
                      ask_again, run_lock, run_progress; the engagement's own: adopted_notebooks
integrity/            manifest, checksums, signing, verification, verify_rerun; file_guard while a run lasts
permitted_endpoints   the language model and the database that a run may reach
run_plan              what a run would execute, and why
dry_run               how many questions a run would ask, and what they cost; question_bounds: at most
code_to_run           what a run executes besides the kit, and whom the assistant's process reaches
run_record            which run this is; one that was stopped goes on
answered_versions     which versions of the assistant answered
gate_results          for other programs, and the causes of the exit code
explore               a copy of a run to try things in
demo                  the example, smaller; demo_duration: how long the example takes here
doctor                what this machine can do for a run
"""

from typing import Any

DOORS = {  # what may be called from here, and where it is: a notebook's kernel starts without the runner
    "Outcome": "ragassay.run.runner",
    "notebooks": "ragassay.run.parameters",
    "run": "ragassay.run.runner",
}
__all__ = ["Outcome", "notebooks", "run"]


def __getattr__(name: str) -> Any:
    if name not in DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(DOORS[name]), name)
