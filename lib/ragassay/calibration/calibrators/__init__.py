"""Stage 1: curves from a machine score to the probability that a human accepts (HCAT section 5.1).

    scores, labels -> fit | choose -> curve -> predict (probability of label 1, or of each level), to_json -> from_json

logistic   Platt's curve: log-odds straight in the score
beta       log-odds straight in log(s) and log(1 - s): three parameters, bends where the logistic cannot
isotonic   any monotone curve, as knots
boosted    monotone gradient boosting, as steps
ordinal    levels 1..k: proportional odds; P(label >= cut) for every cut
several    logistic on several metrics at once, with a ridge penalty
choosing   every kind by cross-validated log loss, the chosen one and why
splitting  disjoint random parts of the labels
checking   what is refused: few labels, one class, constant scores, gaps
family     what all kinds share: JSON; likelihood: the one optimiser

Every kind fits targets pulled in from 0 and 1 as Platt does: a run of equal labels earns no certainty, and perfectly separated scores
give a finite curve. Fit and choose on one part of the labels, and let the conformal stage judge on another.
"""

from ragassay.calibration.calibrators.base import Calibrator
from ragassay.calibration.calibrators.beta import Beta
from ragassay.calibration.calibrators.boosted import Boosted
from ragassay.calibration.calibrators.isotonic import Isotonic
from ragassay.calibration.calibrators.kinds import KINDS, fit, from_json
from ragassay.calibration.calibrators.logistic import Logistic
from ragassay.calibration.calibrators.multivariate import Multivariate
from ragassay.calibration.calibrators.ordinal import FromLevel, Ordinal
from ragassay.calibration.calibrators.selection import Selection, select_calibrator

__all__ = [
    "KINDS",
    "Beta",
    "Boosted",
    "Calibrator",
    "Selection",
    "FromLevel",
    "Isotonic",
    "Logistic",
    "Ordinal",
    "Multivariate",
    "fit",
    "from_json",
    "select_calibrator",
]
