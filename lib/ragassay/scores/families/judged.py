"""What a language model is asked and what its replies must hold, never by default: the Lesson's one request
(section 3.2) and GroUSE's four (figure 4); and the metrics made of the replies.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, model_validator

from ragassay.models.judge_messages import FENCE_RULE, FRAGMENTS, Form, Request, fence, parse_reply
from ragassay.scores.metric import Detail, NotApplicable, Result
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


GROUSE: dict[str, tuple[type[Form], tuple[str, ...]]] = {  # reply; shown beside the answer
    "relevancy": (Relevancy, ("QUESTION",)),
    "completeness": (Completeness, ("REFERENCES", "QUESTION")),
    "usefulness": (Usefulness, ("QUESTION",)),
    "faithfulness": (Faithfulness, ("REFERENCES",)),
}
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")  # kinds of signs that are escaped
MOST = 200_000  # characters of one request's texts: more is not cut silently but not asked
TOKENS = {"lesson": 2_000, "sufficiency": 600, "faithfulness": 3_000}  # at most in a reply
FEW_TOKENS = 300  # of the others
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")
_PLAIN_ID = re.compile(r"[\w.#:/@-]{1,200}")
VALUE_RULE = FRAGMENTS["value_rule"]


class TooLong(ValueError):
    """The texts are longer than what is sent to a judge."""


def ask_lesson(sample: Sample, tools: Tools) -> Lesson:
    """The reply to the Lesson's one request about an answer."""
    return _ask(sample, tools, lesson(sample), Lesson)


def digest(sample: Sample) -> dict[str, str]:
    """The Lesson's digest of an answer: QUESTION, EVIDENCE, METADATA, ANSWER (section 2). METADATA holds what
    is known of language, kind of answer and version, as JSON strings: a text there cannot pass for another
    part."""
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
    return _ask(sample, tools, grouse(call, *texts), GROUSE[call][0])


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
    """One of GroUSE's requests: relevancy, completeness, usefulness or faithfulness; the expected answer is
    shown for comparison where there is one, and not graded.

    Raises TooLong if the texts have more than MOST characters together. Source: GroUSE figures 4 and 7 to 10,
    appendix C.
    """
    texts = {"QUESTION": question, "REFERENCES": references}
    matter = {name: texts[name] for name in GROUSE[call][1]}
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
    prompt = files("ragassay.models").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
    system = prompt.format(rule=FENCE_RULE, **values).strip()
    return Request(name, system, user, TOKENS.get(name, FEW_TOKENS))


MOST_RECORDS = 200  # claims or sentences kept as evidence
ONLY_DECLINES = "the answer says only that no document answers"
NO_ANSWER = "the references hold no answer"
GRADES = {  # of GroUSE's first three replies: the field, and why it is null
    "relevancy": ("answer_relevancy", "the answer says that no document answers"),
    "completeness": ("completeness", NO_ANSWER),
    "usefulness": ("usefulness", "the refusal adds no information"),
}


def lesson_grade(sample: Sample, tools: Tools, name: str) -> Result:
    """One of the Lesson's four grades, 1 to 5; higher is better; all four are the evidence."""
    grades = ask_lesson(sample, tools).scores.model_dump()
    return float(grades[name]), [grades]


def judge_abstain_quality(sample: Sample, tools: Tools) -> Result:
    """How well the assistant declined where it had to, 1 to 5; higher is better."""
    found = ask_lesson(sample, tools).abstain
    return _graded(
        found.abstain_quality, "the evidence holds an answer, says the judge", [found.model_dump()]
    )


def judge_conciseness(sample: Sample, tools: Tools) -> Result:
    """How little could go without loss, 1 to 5; higher is better."""
    found = _ask(sample, tools, _request("conciseness", digest(sample)), Conciseness)
    return float(found.conciseness), [{"could_go": found.could_go}]


def _must_pass(sample: Sample, tools: Tools) -> Result:
    """1 if all of the Lesson's checks hold, else 0; one record per check.

    Where the evidence holds no answer (by the case's label, or else by the judge), citing is not asked for.
    """
    reply = ask_lesson(sample, tools)
    flags: dict[str, bool | None] = reply.must_pass.model_dump()
    if reply.abstain.should_have_abstained if sample.answerable is None else not sample.answerable:
        flags["citations_present"] = None
    return float(all(flag is not False for flag in flags.values())), [
        {"flag": name, "score": None if held is None else float(held)} for name, held in flags.items()
    ]


def _supported_claims_rate(sample: Sample, tools: Tools) -> Result:
    """Share of the claims that the judge finds fully supported by what was retrieved."""
    claims = ask_lesson(sample, tools).supported_claims
    if not claims:
        raise NotApplicable("the judge found no claim in the answer")
    known = set(shown_ids(sample.ids))
    held = [
        claim.verdict == "supported" and any(one.strip("[] ") in known for one in claim.supported_by)
        for claim in claims
    ]
    records = [
        {
            "text": claim.claim,
            "score": float(good),
            "verdict": claim.verdict,
            "supported_by": [one[:100] for one in claim.supported_by[:20]],
        }
        for claim, good in zip(claims, held, strict=True)
    ]
    return sum(held) / len(held), records[:MOST_RECORDS]


def _sufficiency(sample: Sample, tools: Tools) -> Result:
    """1 if the judge finds in the passages all that an answer needs; what is missing is the evidence. It
    is shown no answer: whatever was answered, the question and the passages are the same."""
    shown = {name: text for name, text in digest(sample).items() if name != "ANSWER"}
    found = _ask(sample, tools, _request("sufficiency", shown), Sufficiency)
    return float(found.sufficient), [{"missing": text} for text in found.missing[:20]]


def _grouse_grade(sample: Sample, tools: Tools, call: str) -> Result:
    """One of GroUSE's first three grades. Usefulness is not asked of a response."""
    found = _usefulness(sample, tools) if call == "usefulness" else ask_grouse(sample, tools, call)
    if found is None:
        raise NotApplicable("the answer responds")
    field, null = GRADES[call]
    return _graded(getattr(found, field), null, [{"why": found.why}] if found.why else [])


def _faithfulness(sample: Sample, tools: Tools) -> Result:
    """GroUSE's fourth grade, 0 or 1, with checks by sentence; not asked of a bare refusal."""
    refusal = _usefulness(sample, tools)
    if refusal is not None and refusal.usefulness is None:
        raise NotApplicable(ONLY_DECLINES)
    found = ask_grouse(sample, tools, "faithfulness")
    records = [
        {**checks.model_dump(), "sentence": checks.sentence} for checks in found.sentences[:MOST_RECORDS]
    ]
    return _graded(found.faithfulness, ONLY_DECLINES, records)


def _decision(sample: Sample, tools: Tools, answerable: bool) -> Result:
    """From the first two replies: 1 if an answerable question is answered, or one that is not refused."""
    if ask_grouse(sample, tools, "completeness").references_answer != answerable:
        raise NotApplicable(NO_ANSWER if answerable else "the references hold an answer")
    return float(ask_grouse(sample, tools, "relevancy").declines != answerable), []


BY_JUDGE: dict[str, Callable[[Sample, Tools], Result]] = {  # metrics as a judge sees them, on the same scale
    "evidence_sufficiency": _sufficiency,
    "supported_claims_rate": _supported_claims_rate,
    "must_pass": _must_pass,
    "grouse_answer_relevancy": partial(_grouse_grade, call="relevancy"),
    "grouse_completeness": partial(_grouse_grade, call="completeness"),
    "grouse_usefulness": partial(_grouse_grade, call="usefulness"),
    "grouse_faithfulness": _faithfulness,
    "positive_acceptance": partial(_decision, answerable=True),
    "negative_rejection": partial(_decision, answerable=False),
}


def _usefulness(sample: Sample, tools: Tools) -> Usefulness | None:
    """The reply to GroUSE's third request; None, without a request, where the answer responds."""
    if not ask_grouse(sample, tools, "relevancy").declines:
        return None
    return ask_grouse(sample, tools, "usefulness")


def _graded(grade: int | None, null: str, detail: Detail) -> Result:
    if grade is None:
        raise NotApplicable(null)
    return float(grade), detail
