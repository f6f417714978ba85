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

# fmt: off
FAMILY = Family(
    name="judged_further",
    source="judge",
    metrics=(
        Metric("judge_sufficiency", "judged_further", ("question", "contexts"), 0, 1, True, _JUDGE,
               judge_sufficiency, of_content=False, deterministic=False, on_request=True),
        Metric("judge_conciseness", "judged_further", ("answer", "question", "contexts"), 1, 5, True,
               _JUDGE, judge_conciseness, deterministic=False, on_request=True),
    ),
)
# fmt: on
