"""The variants of GroUSE's prompts: what a judge is shown and what it must say before it grades (table 5).

Each leaves out one thing of ours: the good answer for comparison, the sentence that justifies, the checks
that lead to the grade (chain of thought); or it has both answers rated, as the source does, of which only
the second counts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import create_model, model_validator

from ragassay.models.judge.messages import Form


@dataclass(frozen=True)
class Prompt:
    """A variant of the four prompts.

    ground_truth : whether a good answer is shown where one is known
    justification, chain_of_thought : whether the reply holds a sentence why, and the checks before the grade
    both_answers : whether the good answer is graded too, unnamed as such, before the one under test
    """

    name: str
    ground_truth: bool = True
    justification: bool = True
    chain_of_thought: bool = True
    both_answers: bool = False

    def shows_two(self, expected: str | None) -> bool:
        """Whether two answers are graded: a good one is known and is to be rated."""
        return self.both_answers and bool(expected)


OURS = Prompt("ours")
PROMPTS = (
    OURS,
    Prompt("without ground truth", ground_truth=False),
    Prompt("without justification", justification=False),
    Prompt("without chain of thought", chain_of_thought=False),
    Prompt("both answers rated", both_answers=True),
)
VALUE_RULE = (
    'Reply with one JSON object alone: {"value": V}, where V is "yes", "no" or a number from LOW to HIGH.'
)
SENTENCE = '{"sentence": "its first words", "cited": true, "right_reference": true, "undistorted": true}'
WHY = '"why": "one sentence"'
REPLIES: dict[str, tuple[str, str, str]] = {  # of each call: the checks, the justification, the grade
    "relevancy": ('"declines": false', WHY, '"answer_relevancy": 5'),
    "completeness": ('"references_answer": true', WHY, '"completeness": 5'),
    "usefulness": ('"declines": true, "adds_information": true', WHY, '"usefulness": 1'),
    "faithfulness": (f'"only_declines": false, "sentences": [{SENTENCE}]', "", '"faithfulness": 1'),
}
CHECKS: dict[str, Callable[[Any], dict[str, Any]]] = {  # what a grade alone says of the checks left out
    "answer_relevancy": lambda grade: {"declines": grade is None},
    "completeness": lambda grade: {"references_answer": grade is not None},
    "usefulness": lambda grade: {"declines": True, "adds_information": grade is not None},
    "faithfulness": lambda grade: {"only_declines": grade is None, "sentences": []},
}


def reply_asked_for(call: str, prompt: Prompt, two: bool) -> str:
    """The JSON object that a prompt asks for, as an example."""
    checks, why, grade = REPLIES[call]
    parts = (checks if prompt.chain_of_thought else "", why if prompt.justification else "", grade)
    one = "{" + ", ".join(part for part in parts if part) + "}"
    return f'{{"answer_1": {one}, "answer_2": {one}}}' if two else one


@cache
def form_of(form: type[Form], prompt: Prompt, two: bool) -> type[Form]:
    """What the reply must hold: the form, without its checks where they are not asked for; as `answer_2`
    where two answers are graded."""
    graded = form if prompt.chain_of_thought else _without_checks(form)
    return create_model(f"Two{form.__name__}", __base__=Form, answer_2=(graded, ...)) if two else graded


def _without_checks(form: type[Form]) -> type[Form]:
    """The form whose checks follow from its grade, so that a reply need not hold them."""
    name = next(name for name in CHECKS if name in form.model_fields)

    def fill(given: Any) -> Any:
        known = isinstance(given, Mapping) and name in given
        return {**CHECKS[name](given[name]), **given} if known else given

    validators: dict[str, Any] = {"fill": model_validator(mode="before")(fill)}
    return create_model(f"Bare{form.__name__}", __base__=form, __validators__=validators)
