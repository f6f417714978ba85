"""Tables in, figures out: each function returns `Drawn(figure, alt)`, the picture and the sentence that stands for it.

drawn = figures.heatmap(weakness.bivariate(...))
show.figure(drawn, "Groundedness by topic and kind of question", alt=drawn.alt, name="weakness_map", run_dir=run_dir)

style.py          one look for print: fonts, colours, widths; texts made safe
strata.py         the map of topics, the heatmap of two dimensions
intervals.py      estimates with intervals, paired differences
distributions.py  one dot per question: violin, dots by topic, histogram
calibration.py    reliability, conformal regions, coverage over splits
"""

from ragassay.figures.calibration import conformal, coverage_over_splits, reliability
from ragassay.figures.distributions import dots_by_topic, histogram, violin
from ragassay.figures.intervals import bars_with_intervals, difference
from ragassay.figures.strata import heatmap, topic_map
from ragassay.figures.style import Drawn, attempt

__all__ = [
    "Drawn",
    "attempt",
    "bars_with_intervals",
    "conformal",
    "coverage_over_splits",
    "difference",
    "dots_by_topic",
    "heatmap",
    "histogram",
    "reliability",
    "topic_map",
    "violin",
]
