"""Unit tests of evaluators: what a scorer or judge gets right where the marks are known (GroUSE 4.2).

unit_test_suite   tests in GroUSE's format, their sixteen types, and whether a mark meets "==5", "<5",
                  "==None"
scorers           who gives the marks: our offline metrics, a language model, rules alone
examine           every test, every mark: passed, failed or unparsed; pass rates; which failures are found
minimal_pairs     which change of an answer does a metric see; does length impress it
judge_comparison  do two scorers mark alike; a judge by every prompt
metric_exclusion  which metrics may not stand in a gate, and why
instruments       all of that for a run, one frame a question; errors of scores that another tool gave
small_judge       a judge of one's own, tuned on a language model's marks
suites/           the bundled tests and pairs
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.answers.log_formats.tool_scores import pairs as tool_score_pairs
from ragassay.examination.instruments import examine_instruments, examine_judge, tool_score_errors
