"""What real raters' labels can carry, and how well `support` predicts them: MTRAG's 276 answers, three raters
each, marks of 1 to 4.

Per dimension: agreement of the raters and whether it can carry a calibration (labels/raters.py). On each
dimension carried, `support` through both stages: AUROC, then mean coverage of the prediction sets over 200
random splits of the conversations (80 % of them for calibrator and threshold, coverage on the rest; nominal
0.9) and the share decided without a person.

The shipped `support` has learned from these very judgements of faithfulness (training/support.py), so its
AUROC and share decided flatter it here. What counts is `support, MTRAG unseen`: the same model fitted on the
other sets alone (its entailment head has seen none of them). The coverage is fair for both.

Data: `../shared/data` (mtrag_human by IBM, Apache-2.0; begin, wice, summedits to fit the unseen model); not
part of the project.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

import ragassay
from ragassay.answers.tool_scores import read_log
from ragassay.calibration import calibration_pipeline, full_conformal, probability_metrics
from ragassay.errors import LabelError
from ragassay.labels import human_labels, raters
from ragassay.scores.metric import Tools

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "training"))
import support as training
import support_cases

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LOG = DATA / "mtrag_human" / "dev.jsonl.gz"
SHIPPED, UNSEEN = "support", "support, MTRAG unseen"
ALPHA, SPLITS = 0.1, 200
FIGURES = ["coverage", "decided", "wrong among the decided"]
CUTS = (3, 4)  # accepted from 3 (the usual cut of 1-4) and from 4 (nothing at all to find fault with)


def main() -> None:
    """Print the tables."""
    if not LOG.is_file():
        sys.exit(f"skipped: {LOG} is not here; see the docstring for the source")
    human = human_labels.read(LOG, None)[0]
    conversation = pd.Series({case: case.rpartition("-")[0] for case in human.case_id.unique()})
    carried = raters.agreement(human, clusters=conversation)
    print(carried[[name for name in raters.COLUMNS if name != "reason"]].to_string(index=False), "\n")
    log = pd.DataFrame([dict(row.values) for row in read_log(LOG)])
    scores = pd.concat([ragassay.score(log, metrics=SHIPPED).to_pandas(), unseen(log)])
    for dimension in carried[carried.state == "carried"].dimension:
        for metric in (SHIPPED, UNSEEN):
            for cut in CUTS:
                judged, how = raters.accepted(human, {dimension: cut}), {"clusters": conversation}
                how |= {"metric": metric, "dimension": dimension}
                labelled = calibration_pipeline.join(scores, judged, **how)
                report(labelled, metric, f"{dimension}, accepted from {cut}")


def unseen(log: pd.DataFrame) -> pd.DataFrame:
    """Scores of the log's answers by a support model fitted without them."""
    cases = support_cases.cases(DATA)
    table = support_cases.inputs(cases, Tools())
    known, ours = ~np.isnan(table).any(axis=1), np.array([case.data == "mtrag_human" for case in cases])
    rest = known & ~ours
    fitted = training.fit(table[rest], [case for case, one in zip(cases, rest, strict=True) if one])
    odds = training.log_odds(table[ours], fitted)
    state = np.where(np.isnan(odds), "not_applicable", "scored")
    return log[["case_id", "system"]].assign(metric=UNSEEN, value=odds, state=state, repeat=0)


def report(labelled: pd.DataFrame, metric: str, name: str) -> None:
    """Print one metric's figures on one dimension."""
    print(f"{metric} -> {name}: {len(labelled)} answers, {int(labelled.label.sum())} accepted")
    try:
        found = calibration_pipeline.calibrate(labelled, metric, name, alpha=ALPHA)
    except LabelError as problem:
        print(f"  not calibrated: {problem.what} (found: {problem.found})\n")
        return
    everywhere = probability_metrics.auroc(labelled.value, labelled.label, clusters=labelled.cluster)
    print(f"  AUROC {everywhere}; calibrated by {found.calibrator.kind}")
    for way in ("split", "cross", "full"):
        splits = over_splits(labelled, way)
        means = ", ".join(f"{name} {splits[name].mean():.3f}" for name in FIGURES)
        print(f"  {len(splits)} splits, {way}: {means}")


def over_splits(labelled: pd.DataFrame, way: str) -> pd.DataFrame:
    """Each split takes a fifth of the conversations aside and gives their answers sets from the rest."""
    rng, names, rows = np.random.default_rng(0), np.unique(labelled.cluster), []
    for _ in range(SPLITS):
        aside = labelled.cluster.isin(rng.permutation(names)[: max(1, round(0.2 * len(names)))])
        known, new = labelled[~aside], labelled[aside]
        try:
            sets = full_conformal.METHODS[way][1](known, new, ALPHA, 1)
        except LabelError:
            continue
        hit = np.array([label in each for label, each in zip(new.label, sets, strict=True)])
        alone = np.array([len(each) == 1 for each in sets])
        wrong = (~hit[alone]).mean() if alone.any() else np.nan
        rows.append((hit.mean(), alone.mean(), wrong))
    return pd.DataFrame(rows, columns=FIGURES)


if __name__ == "__main__":
    main()
