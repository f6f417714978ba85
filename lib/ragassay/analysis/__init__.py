"""Scores -> measures: what was measured, where it is weak, whether it holds, whether another system is better.

    scorecard.py    one number per metric with its interval     weakness.py           strata against the rest (HCAT 6.2)
    robustness.py   variants against the questions they vary    comparison.py         the validated system against others
    case_scores.py  one metric's scores beside their cases      group_differences.py  two groups: interval and p value
    clusters.py     what was drawn independently

Every interval resamples by cluster: the questions of one conversation, and the variants of one question, count once.
"""
