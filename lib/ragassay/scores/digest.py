"""The digest: question, passages with their ids, and answer in one short text for a judge or a reader (Lesson section 2).

Texts under test are data. Each stands between double quotes on one line of its own, written as a JSON string, so that no text can end its
quotes, begin a line, or invent a passage. What is read back from the line is the text itself, cut at `snippet` characters.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragassay.scores.sample import Sample

SNIPPET = 1200  # characters of a passage shown
LONGEST = 8000  # characters of the question and of the answer shown
CUT = " [cut]"
_PLAIN_ID = re.compile(r"[\w.#:/@-]{1,200}")


@dataclass(frozen=True)
class Digest:
    """The text, the part of it that holds the evidence, and the ids an answer may cite, in the order of the passages."""

    text: str
    evidence: str
    ids: tuple[str, ...]


def of(material: Sample, *, snippet: int = SNIPPET) -> Digest:
    """The digest of one answer; what is not known of it is left out, and passages without ids are numbered 1, 2, ...

    Raises
    ------
    ValueError
        If there is not one id per passage.

    Source
    ------
    Lesson section 2.
    """
    metadata = {"language": material.language, "answer_type": material.answer_type}
    return build(
        material.question, material.contexts or (), material.ids, material.answer, metadata, snippet=snippet
    )


def build(
    question: str | None,
    passages: Sequence[str],
    ids: Sequence[str],
    answer: str | None,
    metadata: Mapping[str, str | None] | None = None,
    *,
    snippet: int = SNIPPET,
) -> Digest:
    """The digest of plain values; an id that cannot stand in brackets (white space, brackets, quotes) is replaced by the passage's number."""
    if len(ids) != len(passages):
        raise ValueError(f"{len(ids)} ids for {len(passages)} passages")
    names = tuple(one if _PLAIN_ID.fullmatch(one) else str(i) for i, one in enumerate(ids, 1))
    evidence = "\n".join(
        f"[{name}] {quoted(passage, snippet)}" for name, passage in zip(names, passages, strict=True)
    )
    known = "; ".join(
        f"{_name(key)}={quoted(value, 100)}" for key, value in (metadata or {}).items() if value is not None
    )
    parts = [
        None if question is None else f"QUERY: {quoted(question)}",
        f"TOP-K EVIDENCE (IDs + snippets):\n{evidence}"
        if passages
        else "TOP-K EVIDENCE (IDs + snippets): none",
        f"METADATA: {known}" if known else None,
        None if answer is None else f"MODEL ANSWER:\n{quoted(answer)}",
    ]
    return Digest("\n".join(part for part in parts if part is not None), evidence, names)


def quoted(text: str, longest: int = LONGEST) -> str:
    """The text as a JSON string on one line: line ends, control, direction and unpaired signs escaped; cut text ends in ` [cut]`."""
    shown = text if len(text) <= longest else text[:longest] + CUT
    return "".join(
        _escaped(sign) if _is_hidden(sign) else sign for sign in json.dumps(shown, ensure_ascii=False)
    )


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")


def _escaped(sign: str) -> str:
    return json.dumps(sign)[1:-1]


def _name(key: str) -> str:
    return re.sub(r"\W+", "_", key)
