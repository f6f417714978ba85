"""Measures -> decision: gates, the rating, findings, the monitoring plan.

gates             thresholds on the interval's bound: parsed, evaluated
rating            the rule by which the rating follows from the gates
findings          what was breached or flagged, numbered, with its evidence and due date
finding_texts     their words: of gates, weak slices, checks
error_findings    their words: of kinds of error in the answers
restatements      one finding for one fault
finding_rows      cause, risk, evidence, owner and dates of a finding
causes            its cause, from the diagnosis of failing answers
risk_matrix       the bank's own matrix of likelihood and impact
shown_cases       the case that shows it
earlier_findings  its life: open, retested, closed
monitoring        what is watched after approval, against which line, how often
"""
