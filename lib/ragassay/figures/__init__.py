"""Tables in, figures out: each function returns `Drawing(figure, alt)`, the picture and the sentence that
stands for it.

drawn = figures.topic_map(topics.chunks, topics.table)
show.figure(drawn, "Topic map", alt=drawn.alt, name="topic_map", run_dir=run_dir)

colours.py        every colour by what it says: interval, flagged, reference
style.py          one look for print: fonts, widths; texts made safe
answers_bar.py    all answers in one bar, by kind
topic_map.py      the map of topics
intervals.py      forest plots: estimates with intervals
dose_response.py  how scores move with the level of a perturbation
dot_per_question.py  one dot per question, by topic
comparison.py     the validated system against others
calibration.py    reliability, conformal regions
examination.py    unit tests passed and failed
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.figures.answers_bar import answers_bar
from ragassay.figures.calibration import conformal_regions, reliability_diagram
from ragassay.figures.comparison import paired_difference_plot
from ragassay.figures.dose_response import dose_response_plot
from ragassay.figures.dot_per_question import dots_by_topic
from ragassay.figures.examination import pass_matrix
from ragassay.figures.intervals import forest_plot
from ragassay.figures.style import Drawing, NoDrawing, draw_if_possible
from ragassay.figures.topic_map import topic_map
