"""What a language model is asked and what its replies must hold: the Lesson's one request (section 3.2) and
GroUSE's four (figure 4).
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, model_validator

from ragassay.models.judge import FENCE_RULE, FRAGMENTS, Request, fence
from ragassay.models.judge.messages import Form, parse_reply
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

Grade = Annotated[int, Field(ge=1, le=5, strict=True)]
Check = Annotated[int, Field(ge=0, le=1, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True)]
Judged = TypeVar("Judged", bound=Form)


def _null_where(is_null: Callable[[Any], bool], grade: str) -> Any:
    """Checks that a reply's grade is null exactly where its own checks ask for it."""

    def agrees(reply: Judged) -> Judged:
        if is_null(reply) != (getattr(reply, grade) is None):
            wanted = "null" if is_null(reply) else "a grade"
            raise ValueError(f"its own checks ask for {wanted}, and it gives {getattr(reply, grade)}")
        return reply

    return model_validator(mode="after")(agrees)


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
    _agrees = _null_where(lambda one: not one.should_have_abstained, "abstain_quality")


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
    _agrees = _null_where(lambda one: one.declines, "answer_relevancy")


class Completeness(Form):
    """GroUSE's second reply (figure 8)."""

    references_answer: Flag
    why: Text = ""
    completeness: Grade | None
    _agrees = _null_where(lambda one: not one.references_answer, "completeness")


class Usefulness(Form):
    """GroUSE's third reply (figure 9)."""

    declines: Flag
    adds_information: Flag
    why: Text = ""
    usefulness: Check | None
    _agrees = _null_where(lambda one: not (one.declines and one.adds_information), "usefulness")


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
    _agrees = _null_where(lambda one: one.only_declines, "faithfulness")


GROUSE: dict[str, type[Form]] = {
    "relevancy": Relevancy,
    "completeness": Completeness,
    "usefulness": Usefulness,
    "faithfulness": Faithfulness,
}


HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")  # kinds of signs that are escaped
MOST = 200_000  # characters of one request's texts: more is not cut silently but not asked
TOKENS = {"lesson": 2_000, "sufficiency": 600, "faithfulness": 3_000}  # at most in a reply
FEW_TOKENS = 300  # of the others
SHOWN: dict[str, tuple[str, ...]] = {  # what each call of GroUSE shows beside the answer
    "relevancy": ("QUESTION",),
    "completeness": ("REFERENCES", "QUESTION"),
    "usefulness": ("QUESTION",),
    "faithfulness": ("REFERENCES",),
}
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")
_PLAIN_ID = re.compile(r"[\w.#:/@-]{1,200}")
VALUE_RULE = FRAGMENTS["value_rule"]


class TooLong(ValueError):
    """The texts are longer than what is sent to a judge."""


def ask_lesson(sample: Sample, tools: Tools) -> Lesson:
    """The reply to the Lesson's one request about an answer."""
    return _ask(sample, tools, lesson(sample), Lesson)


def ask_of_digest(sample: Sample, tools: Tools, call: str, form: type[Judged]) -> Judged:
    """The reply to one of the Lesson's further requests: conciseness, or sufficiency, which is shown no
    answer: it is of the same question and passages, whatever was answered."""
    shown = digest(sample)
    if call == "sufficiency":
        del shown["ANSWER"]
    return _ask(sample, tools, _request(call, shown), form)


def digest(sample: Sample) -> dict[str, str]:
    """The Lesson's digest of an answer, part by part: QUESTION, EVIDENCE, METADATA, ANSWER (section 2).

    METADATA holds what is known of language, kind of answer and version of the documents, as JSON strings: a
    text that stands there cannot pass for another part.
    """
    known = {
        "language": sample.declared_language,
        "answer_type": sample.answer_type,
        "version": sample.version,
    }
    metadata = "; ".join(f"{name}={_quoted(value)}" for name, value in known.items() if value)
    found = {"QUESTION": sample.question or "", "EVIDENCE": evidence(sample.contexts or (), sample.ids)}
    return found | ({"METADATA": metadata} if metadata else {}) | {"ANSWER": sample.answer or ""}


def ask_grouse(sample: Sample, tools: Tools, call: str) -> Any:
    """The reply to one of GroUSE's requests about an answer."""
    references = evidence(sample.contexts or (), sample.ids)
    texts = (sample.question or "", sample.answer or "", references, sample.reference_answer)
    return _ask(sample, tools, grouse(call, *texts), GROUSE[call])


def _ask(sample: Sample, tools: Tools, request: Request, form: type[Judged]) -> Judged:
    texts = (sample.answer or "", sample.question or "", *(sample.contexts or ()))
    return parse_reply(tools.ask("judge", [request])[0], form, texts)


def lesson(sample: Sample) -> Request:
    """The Lesson's request about a digest: grades, checks and claims in one call.

    Raises TooLong if the texts have more than MOST characters together. Source: Lesson sections 3.2 and 5.
    """
    matter = digest(sample)
    if sample.schema:
        answer = matter.pop("ANSWER")
        matter |= {"FORM": sample.schema, "ANSWER": answer}
    checklist = FRAGMENTS["checklists"].get(sample.answer_type or "", "")  # Lesson 5
    # anything but a language tag could be a text that speaks to the judge
    language = sample.language if _LANGUAGE.fullmatch(sample.language) else "en"
    form = FRAGMENTS["schema" if sample.schema else "house"]
    return _request("lesson", matter, checklist=checklist, language=language, form=form)


def grouse(call: str, question: str, answer: str, references: str, expected: str | None = None) -> Request:
    """One of GroUSE's requests: relevancy, completeness, usefulness or faithfulness.

    The source has the expected answer graded beside the one under test, to give the judge a point of
    comparison; here it is shown where there is one, and only the answer under test is graded.

    Raises TooLong if the texts have more than MOST characters together. Source: GroUSE figures 4 and 7 to 10,
    appendix C.
    """
    texts = {"QUESTION": question, "REFERENCES": references}
    matter = {name: texts[name] for name in SHOWN[call]}
    if expected:
        matter["A GOOD ANSWER"] = expected
    return _request(call, matter | {"ANSWER": answer}, comparison=FRAGMENTS["comparison"] if expected else "")


def shown_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids a judge sees: the passage's number for one that cannot stand in brackets."""
    return tuple(one if _PLAIN_ID.fullmatch(one) else str(i) for i, one in enumerate(ids, 1))


@lru_cache(maxsize=512)  # thirteen metrics ask for the same
def evidence(passages: tuple[str, ...], ids: tuple[str, ...]) -> str:
    """The retrieved passages, each on a line of its own under its id, as a JSON string (Lesson section 2).

    No text can end its quotes, begin a line, or invent a passage: line ends, control, direction and unpaired
    signs are escaped.
    """
    pairs = zip(shown_ids(ids), passages, strict=True)
    return "\n".join(f"[{name}] {_quoted(passage)}" for name, passage in pairs)


def _quoted(text: str) -> str:
    return "".join(
        json.dumps(sign)[1:-1] if unicodedata.category(sign) in HIDDEN else sign
        for sign in json.dumps(text, ensure_ascii=False)
    )


def _request(name: str, matter: Mapping[str, str], **values: str) -> Request:
    size = sum(map(len, matter.values()))
    if size > MOST:
        raise TooLong(f"too long to be judged whole: {size} characters, more than the {MOST} that are sent")
    user = "\n\n".join(fence(title, text) for title, text in matter.items())
    system = _prompt(name).format(rule=FENCE_RULE, **values).strip()
    return Request(name, system, user, TOKENS.get(name, FEW_TOKENS))


@cache
def _prompt(name: str) -> str:
    return files("ragassay.models.judge").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
