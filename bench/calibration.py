"""What real raters' labels can carry, and how well `support` predicts them: MTRAG's 276 answers, three raters each, marks of 1 to 4.

Per dimension: agreement of the raters and whether it can carry a calibration (verdicts/raters.py). On each dimension carried, `support` through
both stages: AUROC, Brier and calibration error on held-out labels, then mean coverage of the prediction sets over 200 random splits of the
conversations (80 % of them for curve and threshold, coverage on the rest; nominal 0.9) and the share decided without a person.

python bench/calibration.py
Data: `../shared/data/mtrag_human/dev.jsonl.gz` (IBM, Apache-2.0); not part of the project.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

import ragassay
from ragassay.answers import annotated
from ragassay.errors import LabelError
from ragassay.verdicts import calibration, conformal, curves, labels, raters

LOG = Path(__file__).resolve().parents[2] / "shared" / "data" / "mtrag_human" / "dev.jsonl.gz"
ALPHA, SPLITS, CUTS = 0.1, 200, (3, 4)  # accepted from 3 (the usual cut of 1-4) and from 4 (nothing at all to find fault with)


def main() -> int:
    """Print the tables, or the reason why there are none."""
    if not LOG.is_file():
        print(f"skipped: {LOG} is not here; see the docstring for the source")
        return 0
    human = labels.read(LOG, None)[0]
    conversation = pd.Series({case: case.rpartition("-")[0] for case in human.case_id.unique()})
    carried = raters.carries(human, clusters=conversation, rng=np.random.default_rng(0))
    print(carried[["dimension", "answers", "twice", "raters", "rank_correlation", "alpha", "ac", "state"]].to_string(index=False), "\n")
    scores = ragassay.score(pd.DataFrame([dict(row.values) for row in annotated.rows(LOG)]), metrics="support").to_pandas()
    for dimension in carried[carried.state == "carried"].dimension:
        for cut in CUTS:
            report(calibration.join(scores, human, "support", dimension, cut, conversation), f"{dimension}, accepted from {cut}")
    return 0


def report(labelled: pd.DataFrame, name: str) -> None:
    """Print one dimension's figures."""
    print(f"{name}: {len(labelled)} answers scored and labelled, {int(labelled.label.sum())} accepted")
    try:
        found = calibration.calibrate(labelled, "support", name, alpha=ALPHA)
    except LabelError as problem:
        print(f"  not calibrated: {problem.what} (found: {problem.found})\n")
        return
    figures = calibration._figures(found, 0)
    print("  one split: " + ", ".join(f"{key} {figures[key]}" for key in ("curve", "auroc", "brier", "calibration_error", "coverage", "decided")))
    for way, rank in ways().items():
        table = conformal.over_splits(
            labelled.value, labelled.label, ALPHA, rank=rank, clusters=labelled.cluster, n_splits=SPLITS, rng=np.random.default_rng(0)
        )
        measured = table.dropna(subset=["coverage"])
        weighted = (measured.coverage * measured.n).sum() / measured.n.sum()
        print(
            f"  {len(measured)} splits, {way}: coverage {measured.coverage.mean():.3f} (by answer {weighted:.3f}), "
            f"decided {measured.decided.mean():.3f}, wrong among them {measured.wrong.mean():.3f}"
        )
    print()


def ways() -> dict[str, partial]:
    """Split, cross and full conformal prediction on the logistic curve."""
    fit = partial(curves.fit, "logistic")
    return {
        "split": partial(conformal.halves, fit=fit, rng=np.random.default_rng(1)),
        "cross": partial(conformal.cross, fit=fit, rng=np.random.default_rng(1)),
        "full": partial(conformal.full, fit=fit),
    }


if __name__ == "__main__":
    raise SystemExit(main())
