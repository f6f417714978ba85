"""Scores -> measures: what was measured, where it is weak, whether it holds, whether another system is
better.

scorecard                  one number per metric, its interval; true_success_on_scorecard
slicing/                   slices of the scorecard, and the search for weak ones (weak_slices)
bias/                      groups served alike, answers that lean to stereotypes
safety/                    attacks, misuse, personal data, toxicity
checks                     what tests of risk found, a row each, in one form
robustness                 variants against what they vary: variant_pairs, dose_response,
                           perturbation_checks, passage_change_checks, repeatability
answer_facts               raters and instruments, by answer; error_taxonomy: every answer in one category
worst_answers              ranked by harm; playbook: symptoms and what to do (playbook_rules)
blame                      what failing answers are attributed to: failing_answer_facts, blame_tables,
                           extractive_oracle: whether passages hold an answer
diagnosis/                 gaps, robustness, the module that fails (GRAMMAR)
comparison                 the system against others; comparison_texts: the same in words
declined_questions         what the rates are of; false_answers, grounded_assertions
case_scores                a metric's scores beside their cases; lowest_scores, saturated_metrics
resampling_clusters        what was drawn independently; group_differences, detectable_differences
answer_costs               words, seconds, tokens, cost; answer_counts: asked, answered, scored, rated
verdict_sources            raters, machine, or neither; barred_verdict_parts

Every interval resamples by cluster: the questions of one conversation, and the variants of one question,
count once.
"""
