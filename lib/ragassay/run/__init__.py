"""The runner: parameters + notebooks -> papermill in order -> manifest -> report.

runner     : one run from beginning to end
parameters : the notebooks' tagged cells as schema;  settings : the section `run`
parameter_values : whether a value fits its parameter: type, range, names, files, rules
engagement_file : the YAML as data with its lines: bounded, no aliases, each name once
named_values, input_files, gate_rules : what a value names: names, files opened, rules of gates
report_date : that the report is not dated before its evidence
engagement : one YAML file, checked against the schema before anything runs, or written anew
endpoints  : the language model and the database that a run may reach
overrides  : values given on the command line;  notebook_choice : which notebooks are executed
sequence   : the notebooks one after the other;  plan : what a run would execute, and why
execute    : one notebook in a sealed kernel of its own (kernel);  compute_ahead : by a cluster, before it
dry_run    : how many questions a run would ask, and what they cost;  question_bounds : at most
code_to_run: what a run executes besides the kit, and whom the assistant's process reaches
asked_again: whether the assistant must be asked again though nothing read has changed
run_record : which run this is; one that was stopped goes on
unchanged  : whether a notebook is skipped;  notebook_record : what each read and wrote
lock       : one run at a time in a folder
file_guard : what finished notebooks left stays as they left it while a run lasts
manifest   : the hashes of everything that makes up a run;  checksums : of every file of its folder
verification : whether a folder is still what they say;  verify_rerun, file_differences : executed again, is
               it the same
adopted_notebooks : the engagement's own;  notebook_departures : what they change
signing, ed25519_signature, signing_keys : a finished run signed;  explore : a copy of one to try things in
progress   : which cell, how long still;  closing_words : what models took;  exit_causes : of the exit code
first_file : a parameter file that runs as it is;  file_edit, parameter_form : values set in one, by a form
demo       : the example, smaller;  time_needed : how long the example takes here
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
