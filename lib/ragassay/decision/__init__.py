"""Measures -> decision: gates -> error rates -> findings -> rating.

of_run             what notebook 07 calls, of an open run; which risks no test covers
gates              how gates and waivers are written; thresholds on the interval's bound, by origin
rating             from gates and findings to the rating and the exit code
error_rates        kinds of error of the taxonomy against what is tolerated
findings           what was breached or flagged, one finding a subject, with its rows
severity           likelihood from the interval, impact from a table that a bank edits; days until due
earlier_findings   what became of the previous validation's findings
monitoring         what is watched after release, from which count on an alarm
independence       whether raters and validator are independent; whether one version answered
"""
