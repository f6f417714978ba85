"""Scores that the tool of a log gave (`ragas:faithfulness`): columns of the answers, rows of the scores."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ragassay.answers.log_formats import tool_scores
from ragassay.answers.log_formats.tool_scores import is_given

MOST = 200  # names that are read of one log
COLUMNS = ["case_id", "system", "metric", "value", "state", "reason", "detail"]
NONE_GIVEN = "the log gives no such score of this answer"


@dataclass
class GivenNames:
    """The names of the scores that rows carry, in the order in which they were found."""

    names: list[str] = field(default_factory=list)

    def keep(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row, its names noted; without the scores of more names than MOST."""
        for name in (each for each in row if is_given(each) and each not in self.names):
            if len(self.names) < MOST:
                self.names.append(name)
        return {name: value for name, value in row.items() if not is_given(name) or name in self.names}


def columns(answers: pd.DataFrame) -> list[str]:
    """The columns that hold given scores."""
    return [str(name) for name in answers.columns if is_given(str(name))]


def as_scores(answers: pd.DataFrame) -> pd.DataFrame:
    """Rows of the scores table, one per answer and given score, answers in their order: not_measured, with a
    reason, where the tool gave none; an error where the answer could not be read.

    Values are as the tool gave them: nothing is computed, and no range is enforced.
    """
    names = columns(answers)
    values = answers[names].to_numpy(dtype=float, na_value=np.nan).ravel()
    errors = answers.get("error", pd.Series(index=answers.index, dtype=object)).fillna("").astype(str)
    reasons = errors.where(errors != "", NONE_GIVEN).repeat(len(names)).to_numpy()
    scored = np.isfinite(values)
    return pd.DataFrame(
        {
            "case_id": answers["case_id"].repeat(len(names)).to_numpy(),
            "system": answers["system"].repeat(len(names)).to_numpy(),
            "metric": np.tile(np.array(names, dtype=object), len(answers)),
            "value": np.where(scored, values, np.nan),
            "state": np.where(scored, "scored", "not_measured"),
            "reason": np.where(scored, "", reasons),
            "detail": "[]",
        },
        columns=COLUMNS,
    ).astype({"value": float, "metric": object, "state": object, "reason": object})


def pairs(scores: pd.DataFrame, labels: pd.DataFrame) -> dict[str, str]:
    """Which judgement each given score should predict, of those that raters gave: score -> dimension. None
    that reads the answer key."""
    known, judged = map(tool_scores.card, dict.fromkeys(scores["metric"])), set(labels["dimension"])
    return {card.name: card.dimension for card in known if card.dimension in judged and not card.reads_key}
