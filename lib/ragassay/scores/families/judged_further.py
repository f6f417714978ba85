"""Two further judges of the Lesson's, asked only where they are named: is the evidence sufficient, is the
answer as short as it can be? (Lesson sections 9.3 and 9.5)"""

from ragassay.scores.judge import judge_replies as replies
from ragassay.scores.judge.judge_requests import ask_of_digest
from ragassay.scores.metric import SHOWN, Family, Metric, Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools


def judge_sufficiency(sample: Sample, tools: Tools) -> Result:
    """1 if the judge finds in the passages all that an answer needs, else 0; what is missing is the
    evidence."""
    found = ask_of_digest(sample, tools, "sufficiency", replies.Sufficiency)
    return float(found.sufficient), [{"missing": text[:SHOWN]} for text in found.missing[:20]]


def judge_conciseness(sample: Sample, tools: Tools) -> Result:
    """How little could go without loss, 1 to 5; higher is better."""
    found = ask_of_digest(sample, tools, "conciseness", replies.Conciseness)
    return float(found.conciseness), [{"could_go": found.could_go[:SHOWN]}]


_JUDGE = ("judge",)
_CALL = "one call of a language model per answer, of its own"
_ALONE = (
    "Asked only where it is named, not with the group judge. A reply that is not the agreed JSON, or that "
    "contradicts itself, is an error, neither null nor 0."
)

# fmt: off
FAMILY = Family(
    name="judged_further",
    source="judge",
    metrics=(
        Metric("judge_sufficiency", "judged_further", ("question", "contexts"), 0, 1, True,
               "Lesson 9.5", _JUDGE,
               "1 if a language model finds the passages enough to answer the question",
               f"It is shown the digest without the answer, and lists what is missing first. {_ALONE}",
               judge_sufficiency, of_content=False, deterministic=False,
               cost="one call of a language model per question and its passages", on_request=True,
               display="sufficiency of the passages (judge)"),
        Metric("judge_conciseness", "judged_further", ("answer", "question", "contexts"), 1, 5, True,
               "Lesson 9.3", _JUDGE,
               "a language model's grade of how little of the answer could go without loss",
               "The Lesson's judge of verbosity, named for what is good: 5 if nothing could go. `ragassay "
               f"instruments --verbosity` says whether it, and others, mind length. {_ALONE}",
               judge_conciseness, deterministic=False, cost=_CALL, on_request=True,
               display="conciseness (judge)"),
    ),
)
# fmt: on
