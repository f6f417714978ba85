"""Measures -> decision: gates, the rating, the recommended use, findings, conditions, the monitoring plan.

gates              thresholds on the interval's bound, by origin: written, judged, in words, waived
rating             the rule by which the rating follows from the gates
findings           what was breached or flagged, numbered, with its evidence, cause, severity and remedy
closing            what closes a finding, on how many questions; its life over runs; what must happen first
recommendation     release, pilot or no use
pilot              how long a pilot lasts, what ends it, what holds in it, what staff must find
conditions_of_use  what the machine may decide, what people read
monitoring         what is watched after approval, and from which count on an alarm is raised
not_tested         what was not tested; what may go wrong and what of a run tests it
independence       whether raters and validator are independent; label_quality: what labels are worth
decide             all of it as one record
"""
