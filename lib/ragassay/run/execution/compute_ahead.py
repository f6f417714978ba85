"""Before a notebook scores the answers of a log in its sealed kernel, the workers of a Ray cluster have
networks read them. The runner, which is not sealed, puts the results into the cache that the kernel reads.

The notebook computes what it does not find there: its tables are the same with and without.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ragassay import answers, provenance, scores, tables
from ragassay.api import Cluster, ray_cluster
from ragassay.models import model_files
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import DEVICE, MODELS

SCOPE, SCORING = "00_scope", "02_functionality"
SAFETY = ("privacy_names", "toxicity")  # what notebook 03 asks networks of the same answers


def compute(
    name: str,
    run_dir: Path,
    values: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
    trace: Path,
    progress: Progress,
) -> None:
    """Before the notebook that scores, if the section `run` names a cluster; noted in its trace.

    Raises
    ------
    ClusterError
        If the cluster cannot be reached, is lost, or fails; the next run goes on.
    """
    if name != SCORING or settings["executor"] != "ray" or not values[SCOPE]["answers_log"]:
        return
    where = settings["cluster"] or "this machine"
    progress.say(f"  {name}: a Ray cluster ({where}) reads the answers before it")
    with model_files.naming(**{kind: settings[kind] for kind in (*MODELS, DEVICE)}):
        read, known = _logged(run_dir, values[name])
        cluster = Cluster(settings["cluster"], settings["workers"])
        told = {"premise": values[name]["premise"]}
        n = ray_cluster.compute_ahead(read, known, _metrics(values[name]), cluster, told)
    what = f"a Ray cluster ({where}) read {len(read)} logged answers: {n} results of networks"
    progress.say(f"  {name}: {what}")
    with trace.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"event": "ahead", "what": what}) + "\n")


def _logged(run_dir: Path, values: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The answers of all systems that the notebook will score, and the cases."""
    record, cases = provenance.load(run_dir, "engagement.json"), tables.read(run_dir, "cases")
    given = answers.collect_answers(record, cases, run_dir=run_dir)
    others = answers.challengers(record, cases, values["challengers"])
    return pd.concat([given[given.repeat == 0], others], ignore_index=True), cases


def _metrics(values: Mapping[str, Any]) -> list[str]:
    """The metrics that take no judge, and those of notebook 03 that take a network."""
    chosen = scores.choose(values["metrics"], with_language_model=bool(model_files.of_run("language_model")))
    unjudged = [name for name in chosen if "judge" not in scores.METRICS[name].models]
    return list(dict.fromkeys([*unjudged, *SAFETY]))
