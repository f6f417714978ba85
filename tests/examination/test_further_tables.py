"""What an examination says beside its pass rates, on a judge by rule; and what is said where there is none."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from prompt_judge import PromptJudge

from ragassay.errors import ParameterError
from ragassay.examination import examine, further_tables, scorers, unit_test_suite
from ragassay.examination.unit_test_suite import FOLDER
from ragassay.scores.judge.judge_prompts import PROMPTS

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_calibration.ipynb"


@pytest.fixture(scope="module")
def tests():
    return unit_test_suite.read(FOLDER / "training.jsonl")[:4]


@pytest.mark.parametrize("every_prompt", [False, True])
def test_a_judge_is_examined_in_one_go(tests, every_prompt):
    judge = PromptJudge()
    found = further_tables.examine_judge(tests, judge, against=scorers.rules_alone, every_prompt=every_prompt)
    assert found.why_not == "" and found.examination.parse_failures == 0
    assert set(found.tables) == {"failure_modes", "agreement", "verbosity"} | (
        {"prompts", "prompt_choice"} if every_prompt else set()
    )
    assert len(found.table("prompts")) == every_prompt * len(PROMPTS) * 7
    assert found.absent("prompts") == ("" if every_prompt else further_tables.ONE_PROMPT)


def test_without_a_judge_or_without_tests_nothing_is_asked(tests):
    judge = PromptJudge()
    for some, referee in ((tests, None), ([], judge)):
        found = further_tables.examine_judge(some, referee, against=scorers.rules_alone)
        assert found.absent("verbosity") == further_tables.NO_JUDGE and found.table("verbosity").empty
        assert found.examination.summary()["n"].sum() == 0
    assert judge.asked == []


def test_prompts_need_a_judge(tests):
    found = examine.examine(tests, scorers.rules_alone)
    with pytest.raises(ParameterError, match="prompts are a judge's"):
        further_tables.further_tables(tests, found, every_prompt=True)


@pytest.mark.parametrize("judge", [None, PromptJudge()], ids=["without a judge", "with one"])
def test_the_notebooks_cells_show_every_table(tests, judge):
    """The cells of notebook 04 that speak of the judge, as they stand."""
    rows = [("c1", "judge_grouse_faithfulness", 1.0), ("c1", "grouse_faithfulness", 0.0)]
    measured = pd.DataFrame(rows, columns=["case_id", "metric", "value"]).assign(system="s", state="scored")
    known = {
        **dict.fromkeys(("judge", "judge_model", "unexamined"), ""),
        **{"tests": tests, "examine_prompts": True, "seed": 0, "np": np},
        "measured": measured if judge else measured[1:],
        "clusters": pd.Series({"c1": "g1"}),
        "examined": examine.examine(tests, scorers.rules_alone),
        "scorers": type("scorers", (), {"offline": staticmethod(scorers.rules_alone)}),
    }
    exec(
        "from ragassay import models, show\nfrom ragassay.examination import further_tables, judge_agreement",
        known,
    )
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    own = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    of_judge = [
        source
        for source in own
        if any(name in source for name in ("by_judge", "further_tables", "judge_agreement"))
    ]
    shown = [source for source in of_judge if "show.table(" in source]
    assert len(shown) == 8
    for source in shown:
        exec(
            source.replace("models.judge.make_judge(judge, judge_model, seed=seed)", "the_judge"),
            known | {"the_judge": judge},
            known,
        )
