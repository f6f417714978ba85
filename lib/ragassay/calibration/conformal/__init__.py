"""Stage 2: conformal prediction sets, which hold the rater's label at a stated rate (HCAT section 5.2,
decision 2).

The promise: if labelled cases and new cases are exchangeable, P(label in set) >= 1 - alpha, on average over
calibration sets and cases (marginally). It is not a promise for each class or topic (`coverage` measures
those, `mondrian` extends it to them), nor for one calibration set: with n cases the coverage of a single
q_hat scatters as Beta(k, n + 1 - k) (`expected_coverage`).

threshold  nonconformity scores and the threshold q_hat: the k-th smallest, in exact arithmetic; sets of two
           labels; accept, reject or review, and the borders as data
ordinal    ordered levels: adaptive sets without gaps, or the least ambiguous ones
partition  the thresholds: `split`, one for all; `mondrian`, one for each topic or each label
full       transductive: every label serves both stages, fitted anew for each new case and label; p values
split_and_cross  split conformal in one step; cross-conformal for few labels, in folds or leaving one out,
           promises 1 - 2 alpha
method_comparison    split, class-conditional, cross and full side by side
coverage   on labels that set no threshold, over random splits

Which one: full where it fits in the time (one fit for each new score and label; 0.7 s for 300 new scores at
500 labels with the logistic calibrator), cross where it does not, split where one threshold must be shown and
kept. At 40, 80 and 200 labels, alpha = 0.1, the machine decides 79, 85 and 89 % of the answers by split, 85,
89 and 91 % by cross and by full (120, 120, 60 simulations), all covering 0.89 to 0.90.

Calibrators with steps (isotonic, boosted) tie many cases, so their sets cover more than promised (rows
"ties" below) and decide less.

Why not MAPIE or crepes: the tests hold these sets to MAPIE's (1.6) wherever it computes the same (split and
cross, binary and lac); where the labels are too few it raises, while here every set is full and says why.
crepes (0.9.1) gave other sets in 1,239 of 15,000 cases at n = 9 to 100; the cause was not looked into.
Neither keeps clusters together, makes ranges of ordered levels, or does full conformal prediction with any
calibrator.

Measured coverage for a promised 0.9 (exact: k/(n + 1)); for alpha = 0.05 and 0.2 likewise, in the tests:

n labels                    9      19     50     100    500    simulations (standard error)
exact, continuous scores    0.900  0.900  0.902  0.901  0.900
split                       0.899  0.900  0.903  0.898  0.900  4000 sets of n, 20 new cases (0.001 to 0.002)
split, ties                 0.949  0.947  0.948  0.944  0.934  the same
full                        0.897  0.896  0.900  0.903  0.898  2000 to 600 sets, 6 new cases (0.003 to 0.005)
full, ties                  0.924  0.923  0.936  0.931  0.923  the same
cross, 10 folds             0.899  0.908  0.904  0.904  0.892  the same
cross, 10 folds, ties       0.924  0.926  0.933  0.940  0.932  the same
levels, aps                 0.903  0.902  0.904  0.902  0.899  1500 sets of n, 20 new cases (0.002 to 0.003)
levels, aps, ties           0.917  0.916  0.916  0.916  0.914  the same
levels, lac                 0.904  0.903  0.903  0.901  0.898  the same
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.calibration.conformal import ordinal
from ragassay.calibration.conformal.coverage import N_SPLITS, coverage
from ragassay.calibration.conformal.full import ConformalPValues, full_conformal
from ragassay.calibration.conformal.method_comparison import compare_methods
from ragassay.calibration.conformal.partition import ALL, MONDRIAN, Thresholds, clusters_of, mondrian, split
from ragassay.calibration.conformal.split_and_cross import cross_conformal, split_conformal
from ragassay.calibration.conformal.threshold import (
    SCORES,
    decide,
    decision_regions,
    expected_coverage,
    minimum_n,
    nonconformity,
    residual_threshold,
    sets,
    threshold,
)
