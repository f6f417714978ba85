"""An analyst's plain notebook by the sealed path: what pandas and seaborn show stands in all three documents."""

import io
import re
import shutil
import zipfile
from html import unescape
from pathlib import Path

import nbformat
import pypdfium2
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from ragassay import run
from ragassay.report import assemble, docx, exporter, markup
from ragassay.report.blocks import Callout, Figure, Table, find_parts, plain
from ragassay.report.exporter import single
from ragassay.report.notebook_chapter import walk
from ragassay.run import execute_notebook, explore
from ragassay.run.engagement import SETTINGS
from ragassay.run.execute_notebook import Progress
from run.conftest import make_engagement

TAG = "</td></table><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook, executed."""
    path = tmp_path_factory.mktemp("run") / "06_weakness.ipynb"
    more = {"settings": {each.name: each.default for each in SETTINGS}, "trace": path.parent / "trace"}
    book = Path(__file__).with_name("analysts_notebook.ipynb")
    execute_notebook.execute(book, path, {}, progress=Progress(), **more)
    return path


@pytest.fixture(scope="module")
def document(executed):
    return single(nbformat.read(executed, as_version=4), "06_weakness")


def texts(table):
    return [[plain(cell) for cell in row] for row in table.rows]


@pytest.mark.slow
def test_figures_and_tables_have_captions_and_numbers(document):
    shown = list(find_parts(document.chapters[0].blocks, Table | Figure))
    figures = [block for block in shown if isinstance(block, Figure)]
    above = "What the topics score"
    captions = ["Scores by topic: one **dot** each", above, above, above]
    assert [block.caption for block in figures] == captions and figures[3].label == "Figure 6.4"
    assert (figures[0].alt, figures[1].alt) == ("Three topics, a to c", above)
    assert sum(isinstance(block, Table) and bool(block.label) for block in shown) == 8


@pytest.mark.slow
def test_tables_are_what_pandas_shows_and_hostile_cells_are_letters(document):
    blocks = find_parts(document.chapters[0].blocks, Table | Figure)
    styled, bare, series, long, hostile, escaped, *_ = (each for each in blocks if isinstance(each, Table))
    assert texts(styled)[2:4] == [["w", "b", "–"], ["x", "b", "0.50"]] and styled.align == ["l", "l", "r"]
    assert [plain(name) for name in bare.columns] == ["", "topic"]
    assert texts(series) == [["a", "0.175"], ["b", "0.500"], ["c", "0.875"]]
    assert len(long.rows) == 25 and "First 25 of 100,000 rows" in long.note
    assert [plain(name) for name in long.columns] == ["case", "n"]  # the index only counts
    assert "secret: hidden" in long.note  # the same in every row
    assert [row[0] for row in texts(hostile)][1:4] == [TAG, "[a, None]", "None"]
    assert len(texts(hostile)[0][0]) < 2400
    assert texts(escaped) == [[TAG], ["<b>bold</b>"]]
    (box,) = (block for block in document.chapters[0].blocks if isinstance(block, Callout))
    assert "widget-view" in plain(box.blocks[0].words)


@pytest.mark.slow
def test_all_of_it_stands_in_html_pdf_and_word(document):
    page = exporter.html(document)
    printed = pypdfium2.PdfDocument(exporter.pdf(document))
    read_pdf = " ".join(" ".join(sheet.get_textpage().get_text_range() for sheet in printed).split())
    with zipfile.ZipFile(io.BytesIO(docx.render(document, None))) as file:
        word = file.read("word/document.xml").decode()
    assert page.count("<img ") == word.count("<w:drawing>") == 4 and "<script" not in page
    for words in ("one **dot** each", "Scores, styled", "Hostile tables", "0.875", " of 60 columns"):
        assert words in page and words in read_pdf and words in word, words
    assert "Table 6.1" in read_pdf and "Figure 6.4" in read_pdf and 'alt="Three topics, a to c"' in page


@pytest.mark.slow
def test_in_a_report_the_whole_is_attached_and_limits_stand_with_the_decision(executed, run_dir, tmp_path):
    folder = shutil.copytree(run_dir, tmp_path / "run")
    shutil.copyfile(executed, folder / "notebooks" / "06_weakness.ipynb")
    made = assemble(folder)
    tables = [block for chapter in made.chapters for block in find_parts(chapter.blocks, Table | Figure)]
    (note,) = (table.note for table in tables if table.caption == "Wide")
    assert "wide.csv" in note and "wide.csv" in {item.name for item in made.attachments}
    chapters = {chapter.anchor: str(chapter.blocks) for chapter in made.chapters}
    assert "Ten answers only." in chapters["chapter-07_conclusion-2"]
    assert "Ten answers only." not in chapters["chapter-06_weakness"]


CELLS = (
    "#| fig-cap: '<b>Dots</b> & $x_1$ | a'\nimport pandas as pd, seaborn as sns\n"
    "frame = pd.DataFrame({'topic': [*'abc'], 'score': [0.1, 0.5, 0.9]})\nsns.stripplot(frame, x='score', y='topic')",
    "#| tbl-cap: A <i>styled</i> table\nframe.style.format({'score': '{:.3f}'})",
    "#| tbl-cap: A plain table\nframe.assign(score=frame.score * 2)",
    "import matplotlib.pyplot as plt\nfor n in range(40):\n    plt.subplots(figsize=(1, 1))[1].plot([n, 1])",
    "display({'application/vnd.plotly.v1+json': {}, 'text/html': '<script>p()</script>'}, raw=True)",
)


def found_in(folder):
    """The text of the three documents of a run, one as another; the figures of each that can hold them singly."""
    page = (folder / "validation_report.html").read_text(encoding="utf-8")
    sheets = pypdfium2.PdfDocument((folder / "validation_report.pdf").read_bytes())
    read_pdf = " ".join(" ".join(sheet.get_textpage().get_text_range() for sheet in sheets).split())
    with zipfile.ZipFile(folder / "validation_report.docx") as file:
        word = file.read("word/document.xml").decode()
    texts = [unescape(re.sub(r"<[^>]*>", "", each)) for each in (page, word)]
    return [*texts, read_pdf], (page.count("<img "), word.count("<w:drawing>"))


@pytest.mark.slow
def test_what_cells_show_is_printed_after_run_and_after_explore_adopt_and_run(tmp_path, monkeypatch):
    """A figure of seaborn, a Styler, a frame, forty figures of one cell; what no document prints is named."""
    shown = ["<b>Dots</b> & $x_1$ | a", "A <i>styled</i> table", "0.500", "A plain table", "1.8", "plotly"]
    monkeypatch.chdir(tmp_path)
    engagement = make_engagement(tmp_path)
    path, parameters = engagement / "notebooks/07_conclusion.ipynb", engagement / "params/tiny.yml"
    parameters.parent.mkdir()
    (engagement / "tiny.yml").rename(parameters)
    book = nbformat.read(path, as_version=4)
    book.cells += map(new_code_cell, CELLS)
    nbformat.write(book, path)
    run.run(parameters)
    before, n = found_in(engagement / "reports/tiny")
    assert [word for text in before for word in shown if word not in text] == [] and min(n) >= 41
    copy, _ = explore.copy("reports/tiny")
    changed = nbformat.read(copy / "notebooks/07_conclusion.ipynb", as_version=4)
    changed.cells.append(new_code_cell("#| tbl-cap: Taken over\nframe.head(2)"))
    nbformat.write(changed, copy / "notebooks/07_conclusion.ipynb")
    explore.adopt(copy / "notebooks/07_conclusion.ipynb", parameters)
    run.run(parameters)
    after, again = found_in(engagement / "reports/tiny")
    assert [
        word for text in after for word in [*shown, "Taken over"] if word not in text
    ] == [] and again == n


def walked(*outputs, source=""):
    cells = [
        new_markdown_cell("# 6 · T\n\n## Above"),
        new_code_cell(source, execution_count=1, outputs=list(outputs)),
    ]
    return walk(nbformat.from_dict(new_notebook(cells=cells)), "06_mine").chapters()[0].blocks[1:]


def displayed(**data):
    return new_output("display_data", data={name.replace("_", "/"): value for name, value in data.items()})


@pytest.mark.parametrize(
    "html, rows",
    [
        ("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>NaN</table>", [["a", "b", "b"], ["a", "c", "–"]]),
        ("<table><tr><td colspan=999999999>a</table>", [["a"] * 56]),
        ("<table><tr><td>a<br>b<td><b>bold</b> <i>x</i></table>", [["a\nb", "bold x"]]),
        ("<table><tr><td><u onclick=x>1</u> < 2<td><table><tr><td>in</table></table>", [["1 < 2", "in"]]),
        ("<table></table>", []),
    ],
)  # fmt: skip
def test_tables_of_any_html(html, rows):
    (table,) = markup.table_blocks(html)
    assert texts(table) == rows


def test_a_table_that_a_lab_has_cut_says_of_how_many_rows_it_shows_some():
    body = "".join(f"<tr><th>{n}</th><td>{n}</td></tr>" for n in ("0", "1", "...", "298", "299"))
    head = "<thead><tr><th></th><th>n</th></tr></thead>"
    (table,) = markup.table_blocks(f"<div><table>{head}{body}</table><p>300 rows × 1 columns</p></div>")
    assert table.note == "4 of 300 rows" and [plain(name) for name in table.columns] == ["n"]


def test_neither_an_estimators_folded_parameters_nor_a_progress_bar_is_printed():
    page = "<style>p {}</style><div>LR()<details><table><tr><td>C</td></tr></table></details></div>"
    (block,) = walked(displayed(text_html=page, text_plain="LR()"))
    bar = {"application/vnd.jupyter.widget-view+json": {}, "text/plain": "5/5 [00:00<00:00, 1.0it/s]"}
    assert plain(block.words) == "LR()" and walked(displayed(**bar)) == []
