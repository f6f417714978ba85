"""Verdicts: from a machine score to what a human would say, with stated error rates.

    labelled scores -> split -> fit (score -> probability) -> threshold (q_hat) -> sets -> accept | reject | review

probability  stage 1: logistic calibration (Platt); offers the names of quality too
quality      how well a probability keeps its promise: Brier, calibration error, reliability; how well a score ranks: AUROC
conformal    stage 2: prediction sets that hold the human's label with probability at least 1 - alpha
labels       human labels read and checked; several raters made one
calibration  both stages in one step; one metric after another compared
agreement    how far humans agree with each other, and the machine with them (type I and II errors)

Source: Sudjianto et al. (2024), HCAT, section 5; FORMULAS 2.
"""
