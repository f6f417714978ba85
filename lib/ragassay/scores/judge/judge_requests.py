"""What a language model is asked: the Lesson's one request (section 3.2) and GroUSE's four (figure 4).

The prompts are in `models/judge/prompts`, in our own words. Texts under test are data: all stand in fences
that they cannot close (models.judge.messages), and within the evidence each passage is one line, a JSON
string, so that none can pass for another.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from ragassay.models.judge import FENCE_RULE, FRAGMENTS, Request, fence
from ragassay.scores.judge import judge_prompts
from ragassay.scores.judge import judge_replies as replies
from ragassay.scores.judge.judge_prompts import OURS, Prompt
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")  # kinds of signs that are escaped
MOST = 200_000  # characters of one request's texts: more is not cut silently but not asked
TOKENS = {
    "lesson": 2_000,
    "sufficiency": 600,
    "conciseness": 300,
    "relevancy": 300,
    "completeness": 300,
    "usefulness": 300,
    "faithfulness": 3_000,
}  # at most in a reply
SHOWN: dict[str, tuple[str, ...]] = {  # what each call of GroUSE shows beside the answer
    "relevancy": ("QUESTION",),
    "completeness": ("REFERENCES", "QUESTION"),
    "usefulness": ("QUESTION",),
    "faithfulness": ("REFERENCES",),
}
CHECKLISTS = FRAGMENTS["checklists"]  # Lesson 5
HOUSE, SCHEMA = FRAGMENTS["house"], FRAGMENTS["schema"]
COMPARISON, BOTH = FRAGMENTS["comparison"], FRAGMENTS["both"]
GOOD = "A GOOD ANSWER"
_PLAIN_ID = re.compile(r"[\w.#:/@-]{1,200}")


class TooLong(ValueError):
    """The texts are longer than what is sent to a judge."""


def ask_lesson(sample: Sample, tools: Tools) -> replies.Lesson:
    """The reply to the Lesson's one request about an answer."""
    shown = digest(sample)
    request = lesson(
        shown["QUESTION"],
        shown["ANSWER"],
        shown["EVIDENCE"],
        metadata=shown.get("METADATA", ""),
        language=sample.language,
        answer_type=sample.answer_type,
        schema=sample.schema,
    )
    return _ask(sample, tools, request, replies.Lesson)


def ask_of_digest(sample: Sample, tools: Tools, call: str, form: type[replies.Judged]) -> replies.Judged:
    """The reply to one of the Lesson's further requests: sufficiency, which is shown no answer, or
    conciseness."""
    shown = digest(sample)
    if call == "sufficiency":  # of the same question and passages, whatever was answered
        shown = {name: text for name, text in shown.items() if name != "ANSWER"}
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
    return {
        "QUESTION": sample.question or "",
        "EVIDENCE": _evidence(sample.contexts or (), sample.ids),
        **({"METADATA": metadata} if metadata else {}),
        "ANSWER": sample.answer or "",
    }


def ask_grouse(sample: Sample, tools: Tools, call: str) -> Any:
    """The reply to one of GroUSE's requests about an answer, by the prompt of these tools."""
    question, answer, good = sample.question or "", sample.answer or "", sample.reference_answer
    references, two = _evidence(sample.contexts or (), sample.ids), tools.prompt.shows_two(good)
    request = grouse(call, question, answer, references, good, tools.prompt)
    form = judge_prompts.form_of(replies.GROUSE[call], tools.prompt, two)
    found: Any = _ask(sample, tools, request, form)
    return found.answer_2 if two else found


def _ask(sample: Sample, tools: Tools, request: Request, form: type[replies.Judged]) -> replies.Judged:
    texts = (sample.answer or "", sample.question or "", *(sample.contexts or ()))
    return replies.parse_reply(tools.judge([request])[0], form, texts)


def lesson(
    question: str,
    answer: str,
    evidence: str,
    *,
    metadata: str = "",
    language: str = "en",
    answer_type: str | None = None,
    schema: str | None = None,
) -> Request:
    """The Lesson's request about the parts of a digest: grades, checks and claims in one call.

    Raises TooLong if the texts have more than MOST characters together. Source: Lesson sections 3.2 and 5.
    """
    matter = {
        "QUESTION": question,
        "EVIDENCE": evidence,
        **({"METADATA": metadata} if metadata else {}),
        **({"FORM": schema} if schema else {}),
        "ANSWER": answer,
    }
    checklist = CHECKLISTS.get(answer_type or "", "")
    return _request(
        "lesson", matter, checklist=checklist, language=_word(language), form=SCHEMA if schema else HOUSE
    )


def grouse(
    call: str, question: str, answer: str, references: str, expected: str | None = None, prompt: Prompt = OURS
) -> Request:
    """One of GroUSE's requests: relevancy, completeness, usefulness or faithfulness.

    The source has the expected answer graded beside the one under test, to give the judge a point of
    comparison; here it is shown where there is one, and only the answer under test is graded, unless the
    prompt is another one.

    Raises TooLong if the texts have more than MOST characters together. Source: GroUSE figures 4 and 7 to 10,
    appendix C.
    """
    texts = {"QUESTION": question, "REFERENCES": references}
    two, good = prompt.shows_two(expected), expected if prompt.ground_truth else None
    answers = {"ANSWER ONE": good or "", "ANSWER TWO": answer} if two else {"ANSWER": answer}
    matter = {name: texts[name] for name in SHOWN[call]} | ({GOOD: good} if good and not two else {})
    comparison = BOTH if two else COMPARISON if good else ""
    form = judge_prompts.reply_asked_for(call, prompt, two)
    asked = _request(call, matter | answers, comparison=comparison, form=form)
    return replace(asked, max_tokens=2 * asked.max_tokens) if two else asked


def shown_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids a judge sees: the passage's number for one that cannot stand in brackets."""
    return tuple(one if _PLAIN_ID.fullmatch(one) else str(i) for i, one in enumerate(ids, 1))


def evidence(passages: Sequence[str], ids: Sequence[str]) -> str:
    """The retrieved passages, each on a line of its own under its id, as a JSON string (Lesson section 2).

    No text can end its quotes, begin a line, or invent a passage: line ends, control, direction and unpaired
    signs are escaped.
    """
    pairs = zip(shown_ids(ids), passages, strict=True)
    return "\n".join(f"[{name}] {_quoted(passage)}" for name, passage in pairs)


_evidence = lru_cache(maxsize=512)(evidence)  # thirteen metrics ask for the same


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
    return Request(name, _prompt(name).format(rule=FENCE_RULE, **values).strip(), user, TOKENS[name])


@cache
def _prompt(name: str) -> str:
    return files("ragassay.models.judge").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")


def _word(language: str) -> str:
    """A language tag; anything else could be a text that speaks to the judge."""
    return language if re.fullmatch(r"[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}", language) else "en"
