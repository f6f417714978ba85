"""Measures -> decision: gates, the rating, the recommended use, findings, conditions, the monitoring plan.

gates              thresholds on the interval's bound, evaluated by origin; gate_grammar  as they are written
few_cases, sample_sizes  cases that a gate needs          gate_texts  gates in words
rating             the rule by which the rating follows from the gates
recommendation     release, pilot or no use
pilot_places, first_steps  where each finding belongs; what must happen first, whole and once
pilot, pilot_starts, reading  how long a pilot lasts and what ends it; what holds in it; what staff must find
closing, proofs    what closes a finding, on how many questions and why
conditions_of_use  what the machine may decide, what people read
waivers            who accepts a gate that did not pass, why, until when
decide             all of it as one record
findings           what was breached or flagged, numbered, with its evidence and due date
finding_texts      their words: of gates, weak slices, checks
error_findings     their words: of kinds of error in the answers
suspects           their words where instruments alone found them
restatements       one finding for one fault
carried_gates      the findings that hold a gate's failing cases; shared_cases  what they say of it
finding_rows       cause, risk, evidence, owner and dates of a finding
causes             its cause, from the diagnosis of failing answers
risk_matrix        the bank's own matrix of likelihood and impact
shown_cases        the case that shows it
earlier_findings   its life: open, retested, closed; criteria  what it asked, whether a later run meets it
monitoring         what is watched after approval; alarm_limits  from which count on, and how often falsely
"""
