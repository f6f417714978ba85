"""An analyst's plain notebook, run by the sealed path: what pandas and seaborn show stands in all three documents."""

import io
import sys
import zipfile

import nbformat
import pandas as pd
import pypdfium2
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay.report import attachments, cell_tags, docx, pdf
from ragassay.report.assemble import single
from ragassay.report.blocks import Callout, Figure, Paragraph, Table, plain
from ragassay.report.exporter import AuditHTMLExporter
from ragassay.report.notebook_chapter import walk
from ragassay.report.numbering import figures_and_tables
from ragassay.run.execution import execute_notebook
from ragassay.run.execution.run_progress import Progress
from ragassay.run.parameter_file.run_settings import SETTINGS
from ragassay.show import frames

CELLS = [
    "import pandas as pd, numpy as np, seaborn as sns\nfrom matplotlib import pyplot as plt\n"
    "frame = pd.DataFrame({'topic': list('aabbcc'), 'score': [.1, .25, np.nan, .5, .75, 1]}, index=list('uvwxyz'))",
    "#| fig-cap: Scores by topic: one **dot** each\n#| fig-alt: Three topics, a to c\n"
    "sns.stripplot(data=frame, x='score', y='topic');",
    "#| tbl-cap: Scores, styled\nframe.style.format(precision=2).background_gradient(subset='score')",
    "#| tbl-cap: 'Scores, <b>plain</b>'\nframe",
    "figure, axes = plt.subplots()\naxes.plot([0, 1])\nfigure",
    "frame.groupby('topic').score.mean()",
    "plt.figure(); plt.plot([1, 2]); plt.figure(); plt.plot([2, 1]);",
    "#| tbl-cap: Very many rows\npd.DataFrame({'case': [f'c{n}' for n in range(1000)], 'n': range(1000)})",
    "long = 'w' * 10_000_000\n#| tbl-cap: no option here\n"
    "pd.DataFrame({'hostile': [long, '</td></table><img src=x onerror=alert(1)>', ['a', None], None, 'nul\\0']})",
    "pd.DataFrame({'hostile': ['</td></table><img src=x onerror=alert(1)>', '<b>bold</b>']}).style.format(precision=2)",
    "#| tbl-cap: Wide\npd.DataFrame(np.arange(240.).reshape(4, 60) / 7)",
    "import ipywidgets\nipywidgets.IntSlider()",
    "pd.DataFrame({('a', 'x'): [1], ('a', 'y'): [2]}, index=pd.MultiIndex.from_tuples([('p', 'q')], names=['P', 'Q']))",
]
HEADINGS = {1: "## What the topics score", 8: "## Hostile tables"}


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook, executed twice."""
    folder = tmp_path_factory.mktemp("sealed")
    cells = [new_markdown_cell("# 6 · Mine")]
    for number, source in enumerate(CELLS):
        cells += [new_markdown_cell(HEADINGS[number])] if number in HEADINGS else []
        cells.append(new_code_cell(source))
    cells.append(new_markdown_cell("- Ten answers only.", metadata={"tags": ["limits"]}))
    nbformat.write(new_notebook(cells=cells), folder / "06_mine.ipynb")
    made = [folder / run / "06_mine.ipynb" for run in ("first", "second")]
    for path in made:
        execute_notebook.execute(
            folder / "06_mine.ipynb",
            path,
            {},
            settings={each.name: each.default for each in SETTINGS},
            trace=path.parent / "trace",
            progress=Progress(["06_mine"]),
        )
    return made
