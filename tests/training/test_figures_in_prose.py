"""Figures that notebooks and pages print in their prose are those of the files that measured them."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from ragassay.models import head_file

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(r"\d\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]")  # a value with its interval, three digits each


def cells(notebook: str) -> list[dict]:
    return json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]


def of_heads() -> set[str]:
    """Every figure that a head's file holds, as prose prints it."""
    told = [
        head_file.read(path).about["measured"].values() for path in head_file.FOLDER.glob("*.safetensors")
    ]
    triples = [one for figures in told for one in figures if isinstance(one, list) and len(one) == 3]
    return {"{:.3f} [{:.3f}, {:.3f}]".format(*one) for one in triples}


def test_notebook_03_prints_what_the_heads_were_measured_at():
    prose = [
        " ".join("".join(c["source"]).split())
        for c in cells("03_risk_safety")
        if c["cell_type"] == "markdown"
    ]
    assert [one for one in FIGURE.findall(" ".join(prose)) if one not in of_heads()] == []


def test_the_table_of_the_page_of_metrics_is_made_of_what_was_measured():
    """If not: python bench/metrics_page.py."""
    spec = importlib.util.spec_from_file_location("metrics_page", ROOT / "bench" / "metrics_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (ROOT / "docs/metrics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["support", "groundedness_nli", "supported_claims_rate"])
def test_the_page_of_metrics_says_what_tempts_a_score(name):
    found = json.loads((ROOT / "bench/judged_answers.json").read_text(encoding="utf-8"))[name]["tempted"]
    page = " ".join((ROOT / "docs/metrics.md").read_text(encoding="utf-8").split())
    assert "{:.2f} [{:.2f}, {:.2f}]".format(*found) in page


def test_a_sentence_counts_as_toxic_from_the_cut_that_the_head_s_card_gives():
    card = head_file.find_head("toxicity").with_suffix(".md").read_text(encoding="utf-8")
    cut = re.findall(r"`toxic_from` ([\d.]+)", card)
    lines = "".join(line for cell in cells("03_risk_safety") for line in cell["source"])
    assert re.findall(r"^toxic_from: float = ([\d.]+)", lines, re.MULTILINE) == cut
