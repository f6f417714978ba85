"""Tables in, figures out: each function returns `Drawing(figure, alt)`, the picture and the sentence that
stands for it.

drawn = figures.heatmap(weakness_figures.bivariate(...))
show.figure(drawn, "Groundedness by topic and kind of question", alt=drawn.alt, name="weakness_map",
run_dir=run_dir)

colours.py        every colour by what it says: interval, flagged, reference
style.py          one look for print: fonts, widths; texts made safe
answers_bar.py    all answers in one bar, by kind
topic_map.py      the map of topics                heatmap.py  two dimensions
intervals.py      forest plots: estimates with intervals, paired differences
dose_response.py  how scores move with the level of a perturbation
dot_per_question.py  one dot per question: violin, dots by topic, histogram
comparison.py     the validated system against others
calibration.py    reliability, conformal regions, coverage over splits; conformal_levels.py  sets of levels
gate_plot.py      gates against their thresholds
instruments.py    unit tests passed and failed; minimal_pairs.py  what each metric sees
"""

from ragassay.figures.answers_bar import answers_bar
from ragassay.figures.calibration import conformal_regions, coverage_over_splits, reliability_diagram
from ragassay.figures.comparison import paired_difference_plot
from ragassay.figures.conformal_levels import conformal_levels
from ragassay.figures.dose_response import dose_response_plot
from ragassay.figures.dot_per_question import dots_by_topic, histogram, violin_plot
from ragassay.figures.gate_plot import gate_plot
from ragassay.figures.heatmap import heatmap
from ragassay.figures.instruments import pass_matrix
from ragassay.figures.intervals import forest_plot, robustness_plot
from ragassay.figures.minimal_pairs import minimal_pair_heatmap
from ragassay.figures.style import Drawing, NoDrawing, draw_if_possible
from ragassay.figures.topic_map import topic_map

__all__ = [
    "Drawing",
    "NoDrawing",
    "answers_bar",
    "conformal_levels",
    "conformal_regions",
    "coverage_over_splits",
    "dose_response_plot",
    "dots_by_topic",
    "draw_if_possible",
    "forest_plot",
    "gate_plot",
    "heatmap",
    "histogram",
    "minimal_pair_heatmap",
    "paired_difference_plot",
    "pass_matrix",
    "reliability_diagram",
    "robustness_plot",
    "topic_map",
    "violin_plot",
]
