"""Calibration: from a machine score to what a rater would say, with stated error rates (HCAT section 5;
decisions 2, 9).

    labelled scores -> calibrator (score -> probability) -> threshold (q_hat) -> sets -> verdicts

calibration_pipeline  both stages for one metric, or why the labels cannot carry them
ordinal_levels        the same for scales of more than two levels
metric_comparison     every metric beside the judgement it should predict
calibrated_verdicts   probability, set and decision of every scored answer
calibrators/          stage 1: logistic, beta, isotonic, boosted, ordinal, multivariate;
                      calibrator_selection: which one
conformal/            stage 2: prediction sets that hold the rater's label with probability at least 1 -
                      alpha
label_split           disjoint parts and folds of the labels
probability_metrics   Brier score, log loss, calibration error, reliability by bin, AUROC
error_rates           type I and II, by threshold and by segment
selective             from which probability on a machine may release answers, its errors bounded
true_success          how often raters would accept the answers: Rogan-Gladen, prediction-powered inference
labels_needed         what n labels buy

Why our own and not a library: scikit-learn fits what it fits the same way (isotonic, boosted). Its sigmoid
calibration is private, and LogisticRegression, which finds the same logistic calibrator, takes four to eleven
times as long. Its Brier score, log loss and calibration_curve are point values, without clusters, intervals
or bins that end where a value does; the tests hold ours to them. For MAPIE and crepes see `conformal`.
"""
