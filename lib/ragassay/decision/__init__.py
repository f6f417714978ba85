"""Measures -> decision: gates, the rating, findings, the monitoring plan.

gates          thresholds on the interval's bound: parsed, evaluated
rating         the rule by which the rating follows from the gates
findings       what was breached or flagged, numbered, with its evidence and due date
finding_texts  their words
monitoring     what is watched after approval, against which line, how often
"""
