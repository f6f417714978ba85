"""Figures of a validation: tidy tables in, matplotlib Axes out, for what seaborn has no one line for.

plots.forest(ranking, x="auroc", y="metric", reference=0.5)

Each function takes `ax=None` and returns the Axes it drew on; `dots` has panels and returns an array of Axes.
A table without a row gives Axes that say why they are empty. Captions and alternative texts stand in the cell
(`#| fig-cap:`). Importing the room sets the style, which figures of seaborn share.

style      one look for print: width, fonts, every colour by what it says; texts of the data made safe to draw
figures    forest, dose_response; one mark a passage, question or answer: topic_map, dots, answers_bar;
           reliability_diagram, conformal_regions, two_by_two, tradeoff; flow: boxes and arrows
"""

# ruff: noqa: F401  (callers take these names from here)
from ragassay.plots.figures import (
    answers_bar,
    conformal_regions,
    dose_response,
    dots,
    flow,
    forest,
    reliability_diagram,
    topic_map,
    tradeoff,
    two_by_two,
)
from ragassay.plots.style import use_style

use_style()
