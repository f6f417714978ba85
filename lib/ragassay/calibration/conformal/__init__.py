"""Stage 2: conformal prediction sets, which hold the rater's label at a stated rate (HCAT section 5.2,
decision 2).

The promise: if labelled cases and new cases are exchangeable, P(label in set) >= 1 - alpha, on average over
calibration sets and cases (marginally). It is not a promise for each class or topic (`coverage` measures
those, `mondrian` extends it to them), nor for one calibration set: with n cases the coverage of a single
q_hat scatters as Beta(k, n + 1 - k) (`expected_coverage`).

prediction_sets  split conformal: nonconformity scores, the threshold q_hat, one for all or (Mondrian) one for
                 each topic or label; sets of two labels and the decision; coverage over random splits
full_and_cross   every label serves both stages: full (transductive), fitted anew for each new case and label;
                 cross, in folds, promises 1 - 2 alpha; all methods side by side

Which one: full where it fits in the time (one fit for each new score and label; 0.7 s for 300 new scores at
500 labels with the logistic calibrator), cross where it does not, split where one threshold must be shown and
kept. At 40, 80 and 200 labels, alpha = 0.1, the machine decides 79, 85 and 89 % of the answers by split, 85,
89 and 91 % by cross and by full (120, 120, 60 simulations), all covering 0.89 to 0.90.

Calibrators with steps (isotonic, boosted) tie many cases: their sets cover more than promised, decide less.

Why not MAPIE: the tests hold these sets to MAPIE's (1.6) where it computes the same. It refuses few labels,
knows no clusters or ordered levels, and has no full conformal prediction.

Measured coverage for a promised 0.9 (exact: k/(n + 1)); for alpha = 0.05 and 0.2 likewise, in the tests:

n labels                    9      19     50     100    500    simulations (standard error)
exact, continuous scores    0.900  0.900  0.902  0.901  0.900
split                       0.899  0.900  0.903  0.898  0.900  4000 sets of n, 20 new cases (0.001 to 0.002)
split, ties                 0.949  0.947  0.948  0.944  0.934  the same
full                        0.897  0.896  0.900  0.903  0.898  2000 to 600 sets, 6 new cases (0.003 to 0.005)
full, ties                  0.924  0.923  0.936  0.931  0.923  the same
cross, 10 folds             0.899  0.908  0.904  0.904  0.892  the same
cross, 10 folds, ties       0.924  0.926  0.933  0.940  0.932  the same
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.calibration.conformal.full_and_cross import (
    METHODS,
    ConformalPValues,
    compare_methods,
    cross_conformal,
    full_conformal,
)
from ragassay.calibration.conformal.prediction_sets import (
    ALL,
    MONDRIAN,
    NO_GROUP,
    SCORES,
    Thresholds,
    clusters_of,
    coverage,
    decide,
    expected_coverage,
    minimum_n,
    mondrian,
    nonconformity,
    quantile_rank,
    sets,
    split,
    threshold,
)
