"""Measures -> decision: gates, the rating, the recommended use, findings, conditions, the monitoring plan.

gates                  thresholds on the interval's bound, by origin; gate_grammar: as they are written;
                       gate_texts: in words; gate_case_counts, questions_needed: cases that a gate needs
rating                 the rule by which the rating follows from the gates
recommendation         release, pilot or no use
finding_phases         where each finding belongs; first_steps: what must happen first, whole and once
pilot_plan             how long a pilot lasts and what ends it; what holds in it; what staff must find
finding_closure        what closes a finding; closure_requirements: on how many questions and why
conditions_of_use      what the machine may decide, what people read
waivers                who accepts a gate that did not pass, why, until when
decide                 all of it as one record
findings               what was breached or flagged, numbered, with its evidence and due date
finding_texts          their words: of gates, weak slices, checks; error_findings: of kinds of error
suspected_errors       their words where instruments alone found them
restated_findings      one finding for one fault
findings_behind_gates  the findings that hold a gate's failing cases; shared_gate_cases: what they say of it
finding_rows           cause, risk, evidence, owner and dates of a finding
finding_causes         its cause, from the diagnosis of failing answers
risk_matrix            the bank's own matrix of likelihood and impact
example_cases          the case that shows it
earlier_findings       its life: open, retested, closed; criteria: whether a later run meets them
monitoring             what is watched after approval (monitored_measures); alarm_limits: from which count on
"""
