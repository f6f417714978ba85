"""Unit tests of evaluators: what a scorer or judge gets right where the marks are known (GroUSE 4.2).

examine           tests in GroUSE's format, their sixteen types; every test, every mark, by our offline
                  metrics, a language model or rules alone: passed, failed or unparsed; failures found
instruments       which change of an answer does a metric see (minimal pairs); all of it for a run, one frame
                  a question; which metrics may not stand in a gate, and why; do two scorers mark alike; does
                  length impress them; errors of scores that another tool gave
small_judge       a judge of one's own, tuned on a language model's marks
suites/           the bundled tests and pairs
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.answers.tool_scores import pairs as tool_score_pairs
from ragassay.examination.instruments import examine_instruments, examine_judge, tool_score_errors
