"""Formats: does the answer keep a JSON schema, or the house format of citations? (Lesson 2 and 3.1)"""

import json
import re
from collections.abc import Collection
from itertools import islice
from typing import Any

from ragassay.scores.metric import Result
from ragassay.scores.prepared_answer import Sample
from ragassay.scores.shared_instruments import Tools
from ragassay.scores.text_reading import citation_grammar

LONGEST = 1_000_000  # characters of JSON that are parsed
_BRACKETED = re.compile(r"\[([^\[\]\n]{1,200})\]")
_FOREIGN = re.compile(r"[【〔][^【】〔〕\n]{1,100}[】〕]|<(?:cite|ref|source)\b[^<>\n]{0,100}>")
_OPEN = re.compile(r"\[[^\s\[\],;#]{1,100}#p[0-9]{1,9}(?![^\[\]\n]{0,200}\])")
_PLACE = re.compile(
    r"#|\A(?:doc(?:ument)?|source|ref(?:erence)?|chunk|passage|page|p)[\s_.:-]{0,3}\d{1,9}\Z", re.IGNORECASE
)


def read_schema(text: str) -> dict[str, Any]:
    """The JSON schema written in a text. Raises ValueError if it is not one JSON object."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise ValueError(f"the JSON schema is not JSON: {why!s:.200}") from why
    if not isinstance(found, dict):
        raise ValueError(f"the JSON schema must be one object; found {text:.60}")
    return found


def schema_problems(answer: str, schema: dict[str, Any]) -> list[str]:
    """What keeps the answer, without its code fence, from being JSON that fits the JSON schema.

    Raises ValueError if the schema itself is not a valid JSON schema.
    """
    import jsonschema

    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as why:
        raise ValueError(f"the JSON schema is not valid: {why.message:.200}") from why
    try:
        found = json.loads(_unfenced(answer)[:LONGEST], parse_constant=_refuse)
        return [
            f"{error.json_path:.100}: {error.message:.200}"
            for error in islice(kind(schema).iter_errors(found), 20)
        ]
    except (ValueError, RecursionError) as why:
        return [f"not JSON: {why!s:.200}"]


def house_problems(answer: str, known: Collection[str] = (), *, must_cite: bool = True) -> list[str]:
    """What departs from the house format: a citation, each in the id grammar (`[doc#p3]`, `[3]`).

    known : the ids retrieved, which are citations even outside the grammar; `[sic]` and other words in
        brackets are no citation and no fault
    must_cite : False for an answer that asserts nothing
    """
    cited = any(ids for _, ids in citation_grammar.parse(answer, known=known))
    none = ["no citation in the form [doc#p3] or [3]"] if must_cite and not cited else []
    documents = {one.split("#")[0] for one in known if "#" in one}
    bare = [
        found[0] for found in _BRACKETED.finditer(answer) if _is_malformed(found[1].strip(), known, documents)
    ]
    strange = [found[0] for pattern in (_FOREIGN, _OPEN) for found in pattern.finditer(answer)]
    return none + [f"malformed citation {text:.80}" for text in (bare + strange)[:20]]


def _is_malformed(inside: str, known: Collection[str], documents: Collection[str]) -> bool:
    """Whether it means to be a citation and is none: a `#`, `page` with a number, a document's name."""
    if not citation_grammar.strip(f"[{inside}]", known):
        return False
    return bool(_PLACE.search(inside)) or inside in documents


def _unfenced(answer: str) -> str:
    lines = answer.strip().splitlines()
    fenced = len(lines) > 2 and lines[0].strip().lower() in ("```", "```json") and lines[-1].strip() == "```"
    return "\n".join(lines[1:-1]) if fenced else answer


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def schema_valid(sample: Sample, tools: Tools) -> Result:
    """1 if the answer keeps its format, else 0; higher is better; the problems are the evidence.

    The format is the JSON schema of its case, or the house format where the case has none.
    """
    answer = sample.answer or ""
    if sample.schema is not None:
        problems = schema_problems(answer, read_schema(sample.schema))
    else:
        must_cite = sample.answerable is not False and not sample.abstains
        problems = house_problems(answer, frozenset(sample.context_ids or ()), must_cite=must_cite)
    return float(not problems), [{"problem": problem} for problem in problems]
