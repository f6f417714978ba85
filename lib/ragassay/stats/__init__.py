"""Statistics that know nothing of RAG: arrays in, intervals and p values out.

intervals       Interval (value, low, high, n, left out and why), shares, words
resampling      values and the clusters they were drawn in; bootstrap over clusters, paired; mean_interval:
                the method that suits the data, and why values are missing; random numbers by name; one thread
testing         paired permutation (sign flips per cluster), a mean against a bound, Benjamini-Hochberg,
                the confidence of intervals of selected rows

A cluster is what was drawn independently: a question, a conversation, a document. When several values come
from one draw, pass `clusters`, or every interval is too short.
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.stats.intervals import (
    Interval,
    clopper_pearson,
    expected_half_width,
    interval_text,
    not_available,
    number_text,
    percent_text,
    share_text,
    trials_for_bound,
    zero_event_bound,
)
from ragassay.stats.resampling import (
    bootstrap,
    expand_tails,
    fewest_clusters,
    group_rows,
    is_zero_one,
    mean_interval,
    number_vector,
    one_thread,
    paired_bootstrap,
    random_base,
    random_stream,
)
from ragassay.stats.testing import adjusted_confidence, benjamini_hochberg, exceeds, paired_permutation
