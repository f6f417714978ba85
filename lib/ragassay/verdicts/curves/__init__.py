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

from ragassay.verdicts.curves.beta import Beta
from ragassay.verdicts.curves.boosted import Boosted
from ragassay.verdicts.curves.choosing import Choice, choose
from ragassay.verdicts.curves.family import Curve
from ragassay.verdicts.curves.isotonic import Isotonic
from ragassay.verdicts.curves.kinds import KINDS, fit, from_json
from ragassay.verdicts.curves.logistic import Logistic
from ragassay.verdicts.curves.ordinal import FromLevel, Ordinal
from ragassay.verdicts.curves.several import Several

__all__ = [
    "KINDS",
    "Beta",
    "Boosted",
    "Choice",
    "Curve",
    "FromLevel",
    "Isotonic",
    "Logistic",
    "Ordinal",
    "Several",
    "choose",
    "fit",
    "from_json",
]
