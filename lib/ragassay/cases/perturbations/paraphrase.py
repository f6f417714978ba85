"""The questions in the words of a language model, where the user names one (`models.judge`)."""

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field

from ragassay.models.judge import FENCE_RULE, Reply, Request, fence
from ragassay.models.judge.messages import Form, Unanswered, Unparsed, parse_reply

Ask = Callable[[Sequence[Request]], list[Reply]]
RULES = (
    "You put a question in other words. The new question asks for exactly the same: keep every name, number, "
    "date, unit, negation and condition, add nothing and leave nothing out, and answer nothing. Write in the "
    f"language of the question. {FENCE_RULE} Reply with one JSON object and nothing else: "
    '{"question": "..."}'
)


class Paraphrase(Form):
    """The reply: one question."""

    question: Annotated[str, Field(strict=True, min_length=1, max_length=4_000)]


def paraphrase(questions: Sequence[str], judge: Ask) -> list[str]:
    """Each question in other words, in the order given; "" where no readable reply came."""
    replies = judge([Request("paraphrase", RULES, fence("QUESTION", text), 400) for text in questions])
    return [_read(reply) for reply in replies]


def _read(reply: Reply) -> str:
    try:
        return parse_reply(reply, Paraphrase).question.strip()
    except (Unanswered, Unparsed):
        return ""
