"""The common look of the figures, and what stands in for a figure that cannot be drawn."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.font_manager import findfont
from matplotlib.text import Text

from ragassay import figures, report, show
from ragassay.figures import style

ROW = pd.DataFrame({"metric": ["support"], "value": [0.8], "low": [0.7], "high": [0.9], "n": [20]})


def test_what_cannot_be_drawn_is_no_figure_and_says_why(tmp_path):
    drawn = style.draw_if_possible(style.finite_values, [float("nan")], "the table of scores")
    assert "holds no measured value" in drawn.alt and drawn.figure is None
    shown = show.figure(drawn, "Scores", name="scores", run_dir=tmp_path)
    assert shown.kind == "limit" and not list(tmp_path.rglob("*.svg"))


@pytest.mark.parametrize(
    "draw, options", [(figures.forest_plot, {"table": ROW, "label": "metric", "unit": "share"})]
)
def test_a_single_number_is_a_sentence_and_no_figure(draw, options, tmp_path):
    drawn = figures.draw_if_possible(draw, **options)
    shown = show.figure(drawn, "One number", name="one", run_dir=tmp_path)
    assert drawn.figure is None and "n=" in shown.markdown and not list(tmp_path.rglob("*.svg"))
    assert draw(**options).figure.axes  # who asks for the figure itself has it


def test_the_words_are_in_the_face_of_the_document_and_in_its_size():
    drawn = figures.forest_plot(pd.concat([ROW, ROW]), "metric", unit="share, 値 ≥ 0.5")
    texts = drawn.figure.findobj(Text)
    assert {text.get_fontfamily()[0] for text in texts} == {style.FACE}
    assert {text.get_fontsize() for text in texts if text.get_text()} <= {style.SIZE, style.SMALL}
    assert Path(findfont(style.FACE)).parent.name == "fonts"
    typst = Path(report.__file__).parent / "templates" / "audit" / "report.typ"
    assert f'font: ("{style.FACE}"' in typst.read_text(encoding="utf-8")


def test_any_other_mistake_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        style.draw_if_possible(lambda: 1 / 0)
