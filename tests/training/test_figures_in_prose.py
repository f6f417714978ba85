"""Figures that notebooks and the risk register print in their prose are those of the files that measured them."""

import importlib.util
import json
from pathlib import Path

import pytest

from ragassay.models import head_file
from ragassay.stats.intervals import number_text

ROOT = Path(__file__).parents[2]


def prose(notebook: str) -> str:
    cells = json.loads((ROOT / "notebooks" / notebook).read_text(encoding="utf-8"))["cells"]
    texts = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return " ".join(" ".join(texts).split())


@pytest.mark.parametrize(
    ("head", "figure", "words"),
    [
        ("entities", "presidio, unseen templates, span F1", "an F1 of {} [{}, {}] on unseen templates"),
        ("entities", "presidio, unseen templates, person F1", "persons {}"),
        ("entities", "presidio, unseen templates, address F1", "addresses {}"),
        ("toxicity", "unseen functions, AUROC", "ranks those with an AUROC of {} [{}, {}]"),
        ("toxicity", "unseen tests, AUROC", "new tests of kinds that it knows with one of {} [{}, {}]"),
        ("toxicity", "Davidson hold-out AUROC", "tweets with one of {} [{}, {}]"),
    ],
)
def test_notebook_03_says_what_the_heads_were_measured_at(head, figure, words):
    measured = head_file.read(head_file.FOLDER / f"{head}.safetensors").about["measured"][figure]
    assert words.format(*(number_text(value, 3) for value in measured)) in prose("03_risk_safety.ipynb")


def test_the_table_of_the_page_of_metrics_is_made_of_what_was_measured():
    spec = importlib.util.spec_from_file_location("metrics_page", ROOT / "bench" / "metrics_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (ROOT / "docs/metrics.md").read_text(encoding="utf-8")


def test_notebook_03_says_how_many_toxic_sentences_the_head_catches():
    share = head_file.read(head_file.find_head("toxicity")).about["measured"][
        "unseen functions, toxic, flagged"
    ]
    few = {3: "three", 4: "four", 5: "five", 6: "six"}[round(1 / share[0])]
    text = (ROOT / "notebooks/03_risk_safety.ipynb").read_text(encoding="utf-8")
    card = (head_file.FOLDER / "toxicity.md").read_text(encoding="utf-8")
    assert (
        f"about one in {few}, and words in defence" in text and f"it catches about one in {few} toxic" in card
    )


def test_the_page_of_metrics_says_what_tempts_every_score():
    found = json.loads((ROOT / "bench/judged_answers.json").read_text(encoding="utf-8"))
    page = " ".join((ROOT / "docs/metrics.md").read_text(encoding="utf-8").split())
    for name in ("support", "groundedness_nli", "supported_claims_rate"):
        value, low, high = (f"{one:.2f}" for one in found[name]["tempted"])
        assert f"{value} [{low}, {high}] by `{name}`" in page


def test_a_sentence_counts_as_toxic_from_the_threshold_that_the_head_s_file_holds():
    cells = json.loads((ROOT / "notebooks/03_risk_safety.ipynb").read_text(encoding="utf-8"))["cells"]
    threshold = head_file.read(head_file.find_head("toxicity")).about["threshold"]["threshold"]
    declared = [line for cell in cells for line in cell["source"] if line.startswith("toxic_from: float")]
    assert [float(line.split(" = ")[1].split()[0]) for line in declared] == [threshold]
