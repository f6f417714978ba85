"""What a judge's replies must hold (Lesson 3.1, GroUSE figures 7 to 10); see models/judge/messages.py."""

from typing import Annotated, Literal, TypeVar

from pydantic import Field, model_validator

from ragassay.models.judge.messages import UNANSWERED, UNPARSED, Form, Unanswered, Unparsed, parse_reply

__all__ = ["UNANSWERED", "UNPARSED", "Unanswered", "Unparsed", "parse_reply"]

Grade = Annotated[int, Field(ge=1, le=5, strict=True)]
Check = Annotated[int, Field(ge=0, le=1, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]
Judged = TypeVar("Judged", bound=Form)


class MustPass(Form):
    """The Lesson's checks."""

    schema_valid: Flag
    language_match: Flag
    safety_pass: Flag
    citations_present: Flag
    citations_valid: Flag
    no_hallucinated_entities: Flag


class Grades(Form):
    """The Lesson's four grades."""

    groundedness: Grade
    completeness: Grade
    directness: Grade
    style: Grade


class Claim(Form):
    """One claim of the answer and what the judge says of it."""

    claim: Text
    supported_by: list[Text] = Field(default_factory=list)
    verdict: Literal["supported", "partial", "unsupported"]


class Abstain(Form):
    """Whether to decline, and only then how well it was done."""

    should_have_abstained: Flag
    abstain_quality: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Abstain":
        return _agreed(self, null=not self.should_have_abstained, grade=self.abstain_quality)


class Lesson(Form):
    """The Lesson's reply (section 3.1)."""

    must_pass: MustPass
    scores: Grades
    supported_claims: list[Claim]
    abstain: Abstain


class Sufficiency(Form):
    """Whether the evidence is enough to answer (Lesson 9.5)."""

    missing: list[Text]
    sufficient: Flag

    @model_validator(mode="after")
    def _agrees(self) -> "Sufficiency":
        if self.sufficient and self.missing:
            raise ValueError("it lists what is missing and calls the evidence sufficient")
        return self


class Conciseness(Form):
    """Whether the answer is as short as it can be (Lesson 9.3)."""

    could_go: Text = ""
    conciseness: Grade


class Relevancy(Form):
    """GroUSE's first reply (figure 7)."""

    declines: Flag
    why: Text = ""
    answer_relevancy: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Relevancy":
        return _agreed(self, null=self.declines, grade=self.answer_relevancy)


class Completeness(Form):
    """GroUSE's second reply (figure 8)."""

    references_answer: Flag
    why: Text = ""
    completeness: Grade | None

    @model_validator(mode="after")
    def _agrees(self) -> "Completeness":
        return _agreed(self, null=not self.references_answer, grade=self.completeness)


class Usefulness(Form):
    """GroUSE's third reply (figure 9)."""

    declines: Flag
    adds_information: Flag
    why: Text = ""
    usefulness: Check | None

    @model_validator(mode="after")
    def _agrees(self) -> "Usefulness":
        return _agreed(self, null=not (self.declines and self.adds_information), grade=self.usefulness)


class Sentence(Form):
    """One sentence's three checks."""

    sentence: Text
    cited: Flag
    right_reference: Flag
    undistorted: Flag


class Faithfulness(Form):
    """GroUSE's fourth reply (figure 10)."""

    only_declines: Flag
    sentences: list[Sentence]
    faithfulness: Check | None

    @model_validator(mode="after")
    def _agrees(self) -> "Faithfulness":
        return _agreed(self, null=self.only_declines, grade=self.faithfulness)


GROUSE: dict[str, type[Form]] = {
    "relevancy": Relevancy,
    "completeness": Completeness,
    "usefulness": Usefulness,
    "faithfulness": Faithfulness,
}


def _agreed(form: Judged, *, null: bool, grade: int | None) -> Judged:
    if null != (grade is None):
        raise ValueError(
            f"its own checks ask for {'null' if null else 'a grade'}, and it gives "
            f"{'null' if grade is None else grade}"
        )
    return form
