"""Scores -> measures: what was measured, where it is weak, whether it holds, whether another system is
better.

    scorecard.py    one number per metric, its interval  weakness.py           strata against the rest
    robustness.py   variants against what they vary      worst_cases.py        with the evidence to judge them
    comparison.py   the system against others            comparison_texts.py   the same in words
    case_scores.py  a metric's scores beside their cases group_differences.py  intervals and p values
    clusters.py     what was drawn independently         answer_costs.py       words, seconds, tokens, cost
    checks.py       what tests of risk found, a row each
    variant_pairs.py     the two scores of a pair        dose_response.py       slopes over levels
    perturbation_checks.py  what perturbations found, a check a kind
    diagnosis/      gaps, robustness, the module that fails (GRAMMAR)
    failures.py     what is known of failing answers     blame.py              what each is laid to
    extractive_oracle.py  whether passages hold an answer  blame_tables.py     as notebook 05 shows it

Every interval resamples by cluster: the questions of one conversation, and the variants of one question,
count once.
"""
