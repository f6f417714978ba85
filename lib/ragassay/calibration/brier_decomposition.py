"""What the Brier score is made of:
reliability, resolution, uncertainty (Murphy 1973), with the bias taken off.
"""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ragassay.calibration.equal_mass_bins import equal_mass_bins
from ragassay.calibration.probability_metrics import complete_pairs
from ragassay.defaults import CALIBRATION_BINS

BRIER_PARTS = {
    "reliability": "mean squared gap between promise and share; 0 is honest, lower is better",
    "resolution": "how far the bins' shares lie apart; higher is better",
    "uncertainty": "share(1 - share) of all labels: what no metric can change",
    "within bins": "what the bins smooth over",
    "brier": "reliability - resolution + uncertainty + within bins; lower is better",
}


def brier_decomposition(
    probability: ArrayLike, labels: ArrayLike, *, bins: int = CALIBRATION_BINS
) -> pd.DataFrame:
    """What the Brier score is made of, over equal-mass bins:
    Brier = reliability - resolution + uncertainty + within bins.

    One row per part, columns part, value, bias_corrected, meaning; both columns of numbers obey the sum
    exactly. `value` is Murphy's; reliability and resolution then come out too large, since the shares they
    are made of are themselves uncertain. `bias_corrected` takes that off and is unbiased for fixed bins, so a
    part that is small may fall below 0. At most one bin per five labels; where a bin holds a single label
    `bias_corrected` is NaN. No row when no pair is complete.

    Measured: perfect probabilities, 200 labels, 10 bins (4,000 simulations): reliability
    averages 0.0083 where the truth is 0, bias-corrected -0.0001 (standard error 0.0001).

    Source
    ------
    Murphy (1973), Journal of Applied Meteorology 12; within bins: Stephenson, Coelho, Jolliffe (2008),
    Weather and Forecasting 23; correction: Ferro, Fricker (2012), Quarterly Journal of the Royal
    Meteorological Society 138, section 4.
    """
    p, y = complete_pairs(probability, labels)
    columns = ["part", "value", "bias_corrected", "meaning"]
    if len(p) == 0:
        return pd.DataFrame(columns=columns)
    binned = equal_mass_bins(p, y, max(1, min(bins, len(p) // 5)))
    plain, noise = _murphy(p, y, binned), _murphy_noise(binned, len(p))
    rows = [
        (part, plain[part], plain[part] + noise.get(part, 0.0), meaning)
        for part, meaning in BRIER_PARTS.items()
    ]
    return pd.DataFrame(rows, columns=columns)


def _murphy(p: NDArray, y: NDArray, binned: pd.DataFrame) -> dict[str, float]:
    share, brier_score = float(y.mean()), float(np.mean((p - y) ** 2))
    found = {
        "brier": brier_score,
        "reliability": float(np.average(binned["gap"] ** 2, weights=binned["n"])),
        "resolution": float(np.average((binned["observed"] - share) ** 2, weights=binned["n"])),
        "uncertainty": share * (1 - share),
    }
    return found | {
        "within bins": brier_score - found["reliability"] + found["resolution"] - found["uncertainty"]
    }


def _murphy_noise(binned: pd.DataFrame, n: int) -> dict[str, float]:
    """What the correction adds to each part;
    reliability, resolution and uncertainty change so that the sum does not.
    """
    observed, size = binned["observed"], binned["n"]
    single = bool((size < 2).any())
    within = (
        float("nan") if single else float(np.average(observed * (1 - observed) / (size - 1), weights=size))
    )
    share = float(np.average(observed, weights=size))
    overall = share * (1 - share) / (n - 1) if n > 1 else float("nan")
    return {"reliability": -within, "resolution": overall - within, "uncertainty": overall}
