"""Unit tests of evaluators: what a scorer or judge gets right where the marks are known (GroUSE 4.2).

unit_test_suite   tests in GroUSE's format, their sixteen types, and whether a mark meets "==5", "<5",
                  "==None"
jsonl_records     a JSON Lines file as records, each with its place
scorers           who gives the marks: our offline metrics, a language model, rules alone
examine           every test, every mark: passed, failed or unparsed; pass rates with intervals
minimal_pairs     which change of an answer does a metric see, which should it not mind
failure_modes     which of the seven failures a scorer finds
judge_agreement   do two scorers mark alike
verbosity         ten pairs of a short and a long answer
prompt_ablation   a judge by every prompt, and one chosen by cross-validation
further_tables    all of these
metric_exclusion  which metrics may not stand in a gate, and why
small_judge/      a judge of one's own, trained on a language model's marks
suites/           the bundled tests and pairs
"""
