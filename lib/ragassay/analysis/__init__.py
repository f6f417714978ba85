"""Scores -> findings: what was measured, where it is weak, whether it holds, and what follows from that.

    scorecard.py   one number per metric with its interval      robustness.py  variants against the questions they vary
    weakness.py    strata against the rest (HCAT 6.2)           gates.py       thresholds on bounds (Lesson 12), the rating
    contrast.py    two groups compared: interval and p value    register.py    the numbered findings (words: drafts.py)
    joined.py      scores beside what is known of their cases   challengers.py the validated system against others of the log

Every interval resamples by cluster (`joined.clusters_of`): the questions of one conversation, and the variants of one question, count once.
"""
