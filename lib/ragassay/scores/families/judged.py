"""What a language model is asked, never by default, and the metrics made of its replies: the Lesson's one
request (section 3.2), GroUSE's four (figure 4) and two of the kit's on the Lesson's digest.

A request is `models/prompts/NAME.md`. Its header: what it `shows` of an answer, in this order, where there is
any; the most `tokens` of a reply; the JSON schema of the `reply`, with `$defs` of `fragments.json`. A grade
is null exactly where the reply's own checks ask for it. One question with one grade, the field NAME of the
reply, is a prompt and a row of `metrics.csv` that is measured by `judged.one_grade name=NAME`.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any

import yaml
from pydantic import RootModel

from ragassay.models.judge_messages import (
    FENCE_RULE,
    FRAGMENTS,
    UNPARSED,
    Reply,
    Request,
    Unparsed,
    fence,
    parse_reply,
)
from ragassay.scores.metric import Detail, NotApplicable, Result, Tools
from ragassay.scores.prepared_answer import Sample

PROMPTS = files("ragassay.models").joinpath("prompts")
GRADES = ("groundedness", "completeness", "directness", "style")
CHECKS = (
    "schema_valid",
    "language_match",
    "safety_pass",
    "citations_present",
    "citations_valid",
    "no_hallucinated_entities",
)
SENTENCE = ("sentence", "cited", "right_reference", "undistorted")
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")  # kinds of signs that are escaped
MOST = 200_000  # characters of one request's texts
MOST_RECORDS = 200  # claims or sentences kept as evidence
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}")
_PLAIN_ID = re.compile(r"[\w.#:/@-]{1,200}")
NULL = {  # why a grade is null
    "relevancy": "the answer says that no document answers",
    "completeness": "the references hold no answer",
    "usefulness": "the refusal adds no information",
    "faithfulness": "the answer says only that no document answers",
}


def refuse_long(texts: Iterable[str]) -> None:
    """ValueError if the texts have more than MOST characters together: nothing is cut silently."""
    if (size := sum(map(len, texts))) > MOST:
        raise ValueError(f"too long to be judged whole: {size} characters, and at most {MOST} are sent")


def ask(sample: Sample, tools: Tools, name: str) -> dict[str, Any]:
    """The reply to one request about an answer; errors as of `make_request` and `read_reply`."""
    texts = (sample.answer or "", sample.question or "", *(sample.contexts or ()))
    return read_reply(tools.ask("judge", [make_request(sample, name)])[0], name, texts)


def make_request(sample: Sample, name: str) -> Request:
    """The request of this name about an answer: the Lesson's digest (section 2), or what GroUSE shows.

    METADATA holds what is known of language, kind of answer and version, as JSON strings: a text there
    cannot pass for another part. The expected answer is shown for comparison, and not graded.

    Raises ValueError if the texts have more than MOST characters together. Source: Lesson sections 2, 3.2
    and 5; GroUSE figures 4 and 7 to 10, appendix C.
    """
    known = {
        "language": sample.declared_language,
        "answer_type": sample.answer_type,
        "version": sample.version,
    }
    passages = evidence(sample.contexts or (), sample.ids)
    texts = {
        "QUESTION": sample.question or "",
        "EVIDENCE": passages,
        "REFERENCES": passages,
        "METADATA": "; ".join(f"{key}={_quoted(value)}" for key, value in known.items() if value) or None,
        "FORM": sample.schema or None,
        "A GOOD ANSWER": sample.reference_answer or None,
        "ANSWER": sample.answer or "",
    }
    matter = {title: text for title in _prompt(name)["shows"] if (text := texts[title]) is not None}
    refuse_long(matter.values())
    system = _prompt(name)["text"].format(
        rule=FENCE_RULE,
        checklist=FRAGMENTS["checklists"].get(sample.answer_type or "", ""),  # Lesson 5
        # anything but a language tag could be a text that speaks to the judge
        language=sample.language if _LANGUAGE.fullmatch(sample.language) else "en",
        form=FRAGMENTS["schema" if sample.schema else "house"],
        comparison=FRAGMENTS["comparison"] if sample.reference_answer else "",
    )
    user = "\n\n".join(fence(title, text) for title, text in matter.items())
    return Request(name, system.strip(), user, _prompt(name)["tokens"])


@cache
def _prompt(name: str) -> dict[str, Any]:
    """The header of a prompt, and its `text`."""
    _, header, text = PROMPTS.joinpath(f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(header) | {"text": text}


def read_reply(reply: Reply, name: str, under_test: Sequence[str] = ()) -> dict[str, Any]:
    """The reply as the object that the contract of this name asks for; further keys are let be.

    under_test : the texts that were judged; a reply that stands word for word in one was dictated by it

    Raises Unparsed if no reply came, it is no such object, or was dictated.
    """
    said = parse_reply(reply, RootModel[dict[str, Any]], under_test).root
    if problem := next(_contract(name).iter_errors(said), None):
        raise Unparsed(f"{UNPARSED}: {problem.json_path}: {problem.message}"[:200])
    return said


@cache
def _contract(name: str) -> Any:
    from jsonschema import Draft202012Validator

    reply = FRAGMENTS["value_reply"] if name == "value" else _prompt(name)["reply"]
    return Draft202012Validator({"$defs": FRAGMENTS["$defs"]} | reply)


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


def lesson_grade(sample: Sample, tools: Tools, name: str) -> Result:
    """One of the Lesson's four grades, 1 to 5; higher is better; all four are the evidence."""
    grades = ask(sample, tools, "lesson")["scores"]
    return float(grades[name]), [{grade: grades[grade] for grade in GRADES}]


def judge_abstain_quality(sample: Sample, tools: Tools) -> Result:
    """How well the assistant declined where it had to, 1 to 5; higher is better."""
    quality = ask(sample, tools, "lesson")["abstain"]["abstain_quality"]
    detail = [{"should_have_abstained": True, "abstain_quality": quality}]
    return _graded(quality, "the evidence holds an answer, says the judge", detail)


def one_grade(sample: Sample, tools: Tools, name: str) -> Result:
    """The grade that a request of its own asks for; the other fields of its reply are the evidence."""
    found = ask(sample, tools, name)
    return float(found[name]), [
        {key: found.get(key, "") for key in _prompt(name)["reply"]["properties"] if key != name}
    ]


def _must_pass(sample: Sample, tools: Tools) -> Result:
    """1 if all of the Lesson's checks hold, else 0; one record per check.

    Where the evidence holds no answer (by the case's label, or else by the judge), citing is not asked for.
    """
    reply = ask(sample, tools, "lesson")
    label, found = sample.answerable, reply["abstain"]["should_have_abstained"]
    has_no_answer = found if label is None else not label
    asked = [name for name in CHECKS if not (has_no_answer and name == "citations_present")]
    return float(all(reply["must_pass"][name] for name in asked)), [
        {"flag": name, "score": float(reply["must_pass"][name]) if name in asked else None} for name in CHECKS
    ]


def _supported_claims_rate(sample: Sample, tools: Tools) -> Result:
    """Share of the claims that the judge finds fully supported by what was retrieved."""
    known, detail = set(shown_ids(sample.ids)), Detail()
    for claim in ask(sample, tools, "lesson")["supported_claims"]:
        ids = claim.get("supported_by", [])
        held = claim["verdict"] == "supported" and any(one.strip("[] ") in known for one in ids)
        record = {"text": claim["claim"], "score": float(held), "verdict": claim["verdict"]}
        detail.append(record | {"supported_by": [one[:100] for one in ids[:20]]})
    if not detail:
        raise NotApplicable("the judge found no claim in the answer")
    return sum(record["score"] for record in detail) / len(detail), detail[:MOST_RECORDS]


def _sufficiency(sample: Sample, tools: Tools) -> Result:
    """1 if the judge finds in the passages all that an answer needs; what is missing is the evidence."""
    found = ask(sample, tools, "sufficiency")
    return float(found["sufficient"]), [{"missing": text} for text in found["missing"][:20]]


def _grouse_grade(sample: Sample, tools: Tools, name: str) -> Result:
    """One of GroUSE's four grades. Usefulness is not asked of a response, nor faithfulness of a bare
    refusal."""
    refusal = None  # the reply about what a refusal adds
    if name in ("usefulness", "faithfulness") and ask(sample, tools, "relevancy")["declines"]:
        refusal = ask(sample, tools, "usefulness")
    if name == "usefulness" and refusal is None:
        raise NotApplicable("the answer responds")
    if name == "faithfulness" and refusal and refusal["usefulness"] is None:
        raise NotApplicable(NULL[name])
    found = ask(sample, tools, name)
    detail = [{"why": found["why"]}] if found.get("why") else []
    if name == "faithfulness":
        detail = [{key: one[key] for key in SENTENCE} for one in found["sentences"][:MOST_RECORDS]]
    return _graded(found["answer_relevancy" if name == "relevancy" else name], NULL[name], detail)


def _decision(sample: Sample, tools: Tools, answerable: bool) -> Result:
    """From the first two replies: 1 if an answerable question is answered, or one that is not refused."""
    if ask(sample, tools, "completeness")["references_answer"] != answerable:
        raise NotApplicable(NULL["completeness"] if answerable else "the references hold an answer")
    return float(ask(sample, tools, "relevancy")["declines"] != answerable), []


def _graded(grade: int | None, null: str, detail: Detail) -> Result:
    if grade is None:
        raise NotApplicable(null)
    return float(grade), detail


BY_JUDGE: dict[str, Callable[[Sample, Tools], Result]] = {  # metrics as a judge sees them, on the same scale
    "evidence_sufficiency": _sufficiency,
    "supported_claims_rate": _supported_claims_rate,
    "must_pass": _must_pass,
    "grouse_answer_relevancy": partial(_grouse_grade, name="relevancy"),
    "grouse_completeness": partial(_grouse_grade, name="completeness"),
    "grouse_usefulness": partial(_grouse_grade, name="usefulness"),
    "grouse_faithfulness": partial(_grouse_grade, name="faithfulness"),
    "positive_acceptance": partial(_decision, answerable=True),
    "negative_rejection": partial(_decision, answerable=False),
}
