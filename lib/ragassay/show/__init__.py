"""What a notebook cell puts into the report: tables, figures, sentences and notes.

    show.heading("Retrieval finds {share} of the reference passages", share=interval)
    show.table(frame, "Scores per topic", file="tables/scorecard.parquet")
    show.figure(axes, "Scores per topic", alt="Bars from 0.6 to 0.9; cards lowest.", name="scores_by_topic",
    run_dir=run_dir) show.say("**{n}** of {total} answers are grounded: {rate}.", n=82, total=100,
    rate=interval) show.note("finding", "Topic {topic} falls below the gate.", topic=name)

Each returns an object that JupyterLab displays and the report reads: put it last in its cell, or hand several
    to `display`. The words of
a template are the author's and may hold markdown; the values are data, whatever they contain, and are shown
letter for letter.
"""

from ragassay.show.display import KINDS, Shown, ShownFigure, figure, heading, note, say
from ragassay.show.plain_values import MISSING, clean, number, value_text
from ragassay.show.readable_columns import ADJUSTED, ADJUSTED_SHARES
from ragassay.show.text_tables import ShownTable, table

__all__ = [
    "ADJUSTED",
    "ADJUSTED_SHARES",
    "KINDS",
    "MISSING",
    "Shown",
    "ShownFigure",
    "ShownTable",
    "clean",
    "figure",
    "heading",
    "note",
    "number",
    "say",
    "table",
    "value_text",
]
