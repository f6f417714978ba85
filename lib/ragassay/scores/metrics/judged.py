"""What a language model judges: the Lesson, section 3, and GroUSE, figure 4. Never by default; with a judge that the user names."""

from functools import partial

from ragassay.scores.measure import judged as measure
from ragassay.scores.metrics.row import Metric

_JUDGE = ("judge",)
_ALL = ("answer", "question", "contexts")
_ERROR = "A reply that is not the agreed JSON, or that contradicts itself, is an error, neither null nor 0."
_ONE = f"One call for all of the Lesson's judge_* metrics; temperature 0, fixed seed. {_ERROR}"
_FOUR = f"At most four calls an answer for all of GroUSE's (figure 4); null is not applicable. {_ERROR}"
_CALL = "one call of a language model per answer, shared by the Lesson's judge_* metrics"
_CALLS = "two to four calls of a language model per answer, shared by GroUSE's judge_* metrics"

# fmt: off
ROWS: tuple[Metric, ...] = (
    *(Metric(f"judge_{name}", "judged", _ALL, 1, 5, True,
             "Lesson 3.1", _JUDGE, meaning, _ONE, partial(measure.lesson_grade, name=name), of_content=of_content, deterministic=False, cost=_CALL)
      for name, of_content, meaning in (
          ("groundedness", True, "a language model's grade of how far the evidence supports the claims"),
          ("completeness", False, "a language model's grade of how much of the evidence's answer is told"),
          ("directness", True, "a language model's grade of how directly the question is answered"),
          ("style", False, "a language model's grade of language, tone and form"))),
    Metric("judge_must_pass", "judged", _ALL, 0, 1, True,
           "Lesson 3.1", _JUDGE, "1 if a language model finds all must-pass checks held",
           f"Where the evidence holds no answer, citing is not asked for (FORMULAS 8). {_ONE}",
           measure.must_pass, of_content=False, deterministic=False, cost=_CALL),
    Metric("judge_supported_claims_rate", "judged", _ALL, 0, 1, True,
           "Lesson 3.1", _JUDGE, "share of the claims that a language model lists and finds supported",
           f"Supported by a passage that was retrieved, which it must name; a partial one counts as unsupported. {_ONE}",
           measure.supported_claims_rate, deterministic=False, cost=_CALL),
    Metric("judge_abstain_quality", "judged", _ALL, 1, 5, True,
           "Lesson 3.1 and 6", _JUDGE, "a language model's grade of how well the assistant declined where it had to",
           f"Null where the evidence holds an answer, by the judge. {_ONE}",
           measure.abstain_quality, of_content=False, deterministic=False, cost=_CALL),
    Metric("judge_grouse_answer_relevancy", "judged", _ALL, 1, 5, True,
           "GroUSE figure 7", _JUDGE, "a language model's grade of how far the response bears on the question",
           f"Null for a refusal. {_FOUR}", measure.answer_relevancy, of_content=False, deterministic=False, cost=_CALLS),
    Metric("judge_grouse_completeness", "judged", _ALL, 1, 5, True,
           "GroUSE figure 8", _JUDGE, "a language model's grade of how much of what the references say to the question is told",
           f"Null where the references hold no answer. {_FOUR}", measure.completeness, of_content=False, deterministic=False, cost=_CALLS),
    Metric("judge_grouse_usefulness", "judged", _ALL, 0, 1, True,
           "GroUSE figure 9", _JUDGE, "1 if a language model finds what a refusal adds useful",
           f"Not asked for a response; null for a bare refusal. {_FOUR}", measure.usefulness, of_content=False, deterministic=False, cost=_CALLS),
    Metric("judge_grouse_faithfulness", "judged", _ALL, 0, 1, True,
           "GroUSE figure 10", _JUDGE, "1 if a language model finds every sentence cited rightly and undistorted",
           f"Not asked for a bare refusal. {_FOUR}", measure.faithfulness, of_content=False, deterministic=False, cost=_CALLS),
    Metric("judge_positive_acceptance", "judged", _ALL, 0, 1, True,
           "GroUSE 4.1 (FM4)", _JUDGE, "1 if an answerable question is answered, by a language model's first two replies",
           f"Null where the references hold no answer, by the second reply. {_FOUR}",
           measure.positive_acceptance, of_content=False, deterministic=False, cost=_CALLS),
    Metric("judge_negative_rejection", "judged", _ALL, 0, 1, True,
           "GroUSE 4.1 (FM2)", _JUDGE, "1 if an unanswerable question is refused, by a language model's first two replies",
           f"Null where the references hold an answer, by the second reply. {_FOUR}",
           measure.negative_rejection, of_content=False, deterministic=False, cost=_CALLS),
)
# fmt: on
