"""Scores -> measures: what was measured, where it is weak, whether it holds, whether another system is
better.

    scorecard.py    one number per metric, its interval  weakness_figures.py   what its figures draw
    factors.py      what weak spots are looked for along slice_search.py       which slices are weak
    slice_tests.py  many slices tested at once           weak_slices.py        the table, weak_slice_tables.py
    slice_units.py  who is in which slice                slice_power.py        what the search could find
    unexamined_slices.py  what it could not examine
    answer_facts.py raters and instruments, by answer    taxonomy.py           every answer in one category
    worst_answers.py  ranked by harm                     playbook.py           symptoms (playbook_rules.py)
    robustness.py   variants against what they vary      lowest_scores.py      worst cases of a metric
    comparison.py   the system against others            comparison_texts.py   the same in words
    declined_questions.py  what the rates are of
    grounded_assertions.py  grounded, of answers that assert
    case_scores.py  a metric's scores beside their cases group_differences.py  intervals of differences
    clusters.py     what was drawn independently         answer_costs.py       words, seconds, tokens, cost
    checks.py       what tests of risk found, a row each
    variant_pairs.py     the two scores of a pair        dose_response.py       slopes over levels
    perturbation_checks.py  what perturbations found, a check a kind
    diagnosis/      gaps, robustness, the module that fails (GRAMMAR)
    who_judged.py   raters, machine, or neither
    failures.py     what is known of failing answers     blame.py              what each is attributed to
    extractive_oracle.py  whether passages hold an answer  blame_tables.py     as notebook 05 shows it

Every interval resamples by cluster: the questions of one conversation, and the variants of one question,
count once.
"""
