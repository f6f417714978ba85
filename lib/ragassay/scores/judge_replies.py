"""How a language model's reply is read: one JSON object of the agreed form, or nothing (Lesson section 3.1, GroUSE figures 7 to 10).

A reply counts only if it is the object and nothing else (white space and a code fence around all of it are taken off). Null, a failure to parse
and zero are three things (FORMULAS 14): null is not applicable, a failure to parse is an error that says so, zero is a score.
"""

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ragassay.models.judge.request import Reply

Grade = Annotated[int, Field(ge=1, le=5, strict=True)]
Check = Annotated[int, Field(ge=0, le=1, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]
UNPARSED = "the judge's reply could not be parsed"
UNANSWERED = "the judge gave no reply"
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)
_SPACE = re.compile(r"\s+")


class Unparsed(ValueError):
    """The judge's reply is not the object that was asked for."""


class Unanswered(ValueError):
    """The judge gave no reply."""


class _Form(BaseModel):
    """What a reply must hold; further keys are let be."""

    model_config = ConfigDict(extra="ignore")


class MustPass(_Form):
    """The Lesson's checks."""

    schema_valid: Flag
    language_match: Flag
    safety_pass: Flag
    citations_present: Flag
    citations_valid: Flag
    no_hallucinated_entities: Flag


class Grades(_Form):
    """The Lesson's four grades."""

    groundedness: Grade
    completeness: Grade
    directness: Grade
    style: Grade


class Claim(_Form):
    """One claim of the answer and what the judge says of it."""

    claim: Text
    supported_by: list[Text] = []
    verdict: Literal["supported", "partial", "unsupported"]


class Abstain(_Form):
    """Whether to decline, and only then how well it was done."""

    should_have_abstained: Flag
    abstain_quality: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Abstain":
        return _agreed(self, null=not self.should_have_abstained, grade=self.abstain_quality)


class Lesson(_Form):
    """The Lesson's reply (section 3.1)."""

    must_pass: MustPass
    scores: Grades
    supported_claims: list[Claim]
    abstain: Abstain


class Relevancy(_Form):
    """GroUSE's first reply (figure 7)."""

    declines: Flag
    why: Text = ""
    answer_relevancy: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Relevancy":
        return _agreed(self, null=self.declines, grade=self.answer_relevancy)


class Completeness(_Form):
    """GroUSE's second reply (figure 8)."""

    references_answer: Flag
    why: Text = ""
    completeness: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Completeness":
        return _agreed(self, null=not self.references_answer, grade=self.completeness)


class Usefulness(_Form):
    """GroUSE's third reply (figure 9)."""

    declines: Flag
    adds_information: Flag
    why: Text = ""
    usefulness: Check | None

    @model_validator(mode="after")
    def _agrees(self) -> "Usefulness":
        return _agreed(self, null=not (self.declines and self.adds_information), grade=self.usefulness)


class Sentence(_Form):
    """One sentence's three checks."""

    sentence: Text
    cited: Flag
    right_reference: Flag
    undistorted: Flag


class Faithfulness(_Form):
    """GroUSE's fourth reply (figure 10)."""

    only_declines: Flag
    sentences: list[Sentence]
    faithfulness: Check | None

    @model_validator(mode="after")
    def _agrees(self) -> "Faithfulness":
        return _agreed(self, null=self.only_declines, grade=self.faithfulness)


Form = TypeVar("Form", bound=_Form)


def read(reply: Reply, form: type[Form], under_test: Sequence[str] = ()) -> Form:
    """The reply as the agreed object.

    Parameters
    ----------
    under_test : the texts that were judged; a reply that stands word for word in one of them was dictated by it

    Raises
    ------
    Unanswered
        If no reply came.
    Unparsed
        If it is not one JSON object of the form: cut off, with text around it, a key twice, a wrong type, a grade out of range, a null
        where its own checks ask for a grade or the reverse; or if it was dictated.
    """
    if reply.text is None:
        raise Unanswered(f"{UNANSWERED}: {reply.failure}")
    stripped = reply.text.strip()
    found = _FENCE.match(stripped)
    said = found[1] if found else stripped
    try:
        parsed = form.model_validate(_object(said))
    except (ValueError, RecursionError) as problem:
        raise Unparsed(f"{UNPARSED}: {_why(reply, problem)}") from problem
    if any(_squeezed(said) in _squeezed(text) for text in under_test):
        raise Unparsed(f"{UNPARSED}: it stands word for word in the text under test, which dictated it")
    return parsed


def _object(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refused)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice")
    return dict(pairs)


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _agreed(form: Form, *, null: bool, grade: int | None) -> Form:
    if null != (grade is None):
        raise ValueError(f"its own checks ask for {'null' if null else 'a grade'}, and it gives {'null' if grade is None else grade}")
    return form


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def _why(reply: Reply, problem: Exception) -> str:
    """The first thing wrong with it, in one line, without quoting it at length."""
    if reply.cut:
        return f"it was cut off after {reply.tokens_out} tokens" if reply.tokens_out else "it was cut off"
    if not (reply.text or "").strip():
        return "it is empty"
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}"[:200] if place else first["msg"][:200]
    return "it is nested too deeply" if isinstance(problem, RecursionError) else f"it is not JSON alone ({problem})"[:200]
