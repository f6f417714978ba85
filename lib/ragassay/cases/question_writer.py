"""Who writes the generated questions: rules, or a language model that the user names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ragassay import models
from ragassay.cases import llm_questions
from ragassay.cases.rule_questions import generate


@dataclass(frozen=True)
class QuestionWriter:
    """Rules where `judge` is None, else the language model of this judge.

    judge  : `models.judge.Judge`
    entail : `models.entail`, by which rules reject answers that passages contradict; None leaves that out
    """

    judge: Any = None
    entail: Callable | None = None

    def write(
        self,
        chunks: pd.DataFrame,
        n: int,
        allocation: str | Mapping[str, float] = "proportional",
        seed: int = 0,
        encode: Callable = models.encode,
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """At most n cases, and what was rejected with its reason: as `questions.generate` and
        `llm_templates.generate` give them.

        allocation : "proportional", "equal", or a weight for each topic

        Raises
        ------
        InputError
            If the language model wrote nothing that can be kept.
        """
        weights = None if isinstance(allocation, str) else dict(allocation)
        how: Any = {"allocation": allocation if weights is None else "weighted", "weights": weights}
        if self.judge is None:
            return generate(chunks, n, seed=seed, encode=encode, entail=self.entail, **how)
        wanted = llm_questions.Wanted(**how)
        found, rejected = llm_questions.generate(chunks, n, self.judge, seed, wanted=wanted, encode=encode)
        llm_questions.require_questions(found, rejected, self.judge)
        return found, rejected

    def account(self, found: pd.DataFrame, rejected: pd.DataFrame) -> str:
        """Who wrote these questions, and how many were lost and why, in a sentence; "" for rules."""
        if self.judge is None:
            return ""
        return f"Written by the language model {self.judge.model}: {llm_questions.in_words(found, rejected)}."
