"""Verdicts: from a machine score to what a human would say, with stated error rates.

    labelled scores -> split -> calibrator (score -> probability) -> threshold (q_hat) -> sets -> accept |
    reject | review

labels       human labels read and checked; several raters made one; `labelling/` makes the sheets they come
             from
scale        the scale of a label: 0-1, 1-5
raters       how far any number of raters agree, and what their labels can carry; agreement: pair by pair
calibrators       stage 1: logistic, beta, isotonic, boosted, ordinal, several metrics; chosen by
                  cross-validated log loss
conformal    stage 2: prediction sets that hold the human's label with probability at least 1 - alpha
calibration  both stages in one step; graded: the same for scales of more than two levels; ways: kinds of sets
             compared
quality      how well a probability keeps its promise: Brier and its parts, calibration error, reliability,
             AUROC
machine      errors of the machine against the human: type I and II, by cut, by segment
success      how often people would accept the answers: Rogan-Gladen and prediction-powered inference over
             `judged` answers
instruments  unit tests of scorers and judges, before a scorer is believed; `suite` holds ours
small_judge  a judge of one's own, trained on a language model's marks

Sources: Sudjianto et al. (2024), HCAT, section 5; Lesson section 7; GroUSE sections 4.2 and 5; FORMULAS 2, 9,
14.
"""
