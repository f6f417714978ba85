"""`ragassay doctor FILE`: what a file of answers supports today, what is lacking, what to run next."""

import shlex
from collections.abc import Mapping
from contextlib import suppress

from ragassay.cli.options import say, say_read_as

SHOWN = ("contexts", "context_ids", "reference_answer", "reference_chunk_ids", "answerable", "labels")


def say_support(file: str, mapping: Mapping[str, str]) -> None:
    """Its columns as read; how many answers have what; which default metrics and gates can be computed, and
    what the others lack; whether it can be calibrated; InputError as of `load_log`."""
    from ragassay.answers import load_log
    from ragassay.answers.log_import import known_answerable
    from ragassay.api import scoring
    from ragassay.calibration.calibrators import FEWEST_LABELS
    from ragassay.errors import LabelError
    from ragassay.labels import human_labels
    from ragassay.run import parameter_file, parameters
    from ragassay.scores import METRICS
    from ragassay.tables import is_blank

    cases, answers = load_log(file, mapping=mapping)
    say_read_as(parameter_file.describe_columns(file, mapping))
    read, came = cases.attrs, answers[answers["error"] == ""]
    n, bad = read["n_rows"], read["n_bad"]
    say(f"{n:,} rows, {bad:,} left out; {len(came):,} answers to {len(cases):,} questions")
    for flaw in read["flaws"][:5]:
        say(f"  {flaw}")
    rows = came.merge(cases.assign(answerable=known_answerable(cases)).drop(columns="question"), on="case_id")
    filled = {name: sum(not is_blank(one) and one != [] for one in rows[name]) for name in rows}
    with suppress(LabelError):  # it holds none
        filled["labels"] = human_labels.read(file, answers, mapping)[0]["case_id"].nunique()
    say("answers with " + ", ".join(f"{name} {filled.get(name, 0):,}" for name in SHOWN))

    lacking = {
        name: ", ".join(sorted(need for need in METRICS[name].needs if not filled.get(need)))
        for name in scoring.metric_names("default")
    }
    for lack in dict.fromkeys(sorted(lacking.values())):
        names = ", ".join(name for name, lacks in lacking.items() if lacks == lack)
        say(f"metrics that lack {lack}: {names}" if lack else f"metrics that can be computed: {names}")
    declared = {one.name: one.default for one in parameters.schemas()["07_conclusion"]}
    for name, rule in declared["gates"].items():
        lack = "an assistant to ask" if "if asked" in rule else lacking.get(name, "")
        if name.startswith("judged_") and not filled.get("labels"):
            lack = "labels"
        say(f"gate {name}: {f'lacks {lack}' if lack else 'can be decided'}")
    labelled, words = filled.get("labels", 0), ["ragassay", "run", "--log", file]
    say(f"calibration: {labelled} answers are labelled, {FEWEST_LABELS} are needed at least")
    words += ["--map", ",".join(f"{ours}={theirs}" for ours, theirs in mapping.items())] if mapping else []
    words += [] if filled.get("contexts") else ["--documents", "FOLDER"]
    say(f"next: {shlex.join(words)}")
    if not labelled:
        say("then: ragassay label export --run reports/NAME --out sheet.csv")
