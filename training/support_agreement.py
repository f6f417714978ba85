"""How well a fit of the support model agrees with people on cases that it has not learned from."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

import support as training
from ragassay.scores import support_model
from support_cases import SUMMEDITS, Case

SEEN = {f"summedits/{one}": "summedits" for one in SUMMEDITS}


def judged(
    cases: Sequence[Case],
    table: NDArray,
    parts: NDArray,
    same: dict | None = None,
    use: Sequence[str] = support_model.NAMES,
    only: NDArray | None = None,
) -> NDArray:
    """Log-odds of every case, or of `only` these (the rest NaN), by a model fitted on the cases of the other
    parts; `same` joins parts into one."""
    joined = np.array([(same or {}).get(part, part) for part in parts.tolist()])
    score = np.full(len(cases), np.nan)
    for part in sorted(set(joined[slice(None) if only is None else only].tolist())):
        rest = joined != part
        learned = [case for case, one in zip(cases, rest, strict=True) if one]
        fitted = training.fit(table[rest], learned, use)
        score[~rest] = training.log_odds(table[~rest], fitted)
    return score


def agreement(name: str) -> Callable[[Sequence[Case], NDArray], float]:
    """Spearman for MTRAG, AUROC for the others."""
    return spearman if name == "mtrag_human" else auroc


def spearman(cases: Sequence[Case], score: NDArray) -> float:
    return float(spearmanr(score, [case.label for case in cases]).statistic)


def auroc(cases: Sequence[Case], score: NDArray) -> float:
    """How often a supported case scores above an unsupported one; partly supported cases are left out."""
    label = np.array([case.label for case in cases])
    whole = (label == 0) | (label == 1)
    return float(roc_auc_score(label[whole], score[whole]))


def mean_auroc(cases: Sequence[Case], score: NDArray) -> float:
    sets = np.array([case.data for case in cases])
    kinds = ([case for case in cases if case.data == one] for one in sorted(set(sets)))
    return float(np.mean([auroc(kind, score[sets == kind[0].data]) for kind in kinds]))
