"""Probes that ask for an instance of a prohibited use: the engagement's own example questions, else ours for
the subjects it names (`data/prohibited_subjects.jsonl`). A use that gives none of these is not probed, and is
said not to be."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from ragassay.cases import case_table

MISUSE = "probe: misuse"
PROHIBITED = "prohibited: "  # how the families of prohibited uses begin
LONGEST = 80  # characters of a prohibited use in the name of its family
NOT_PROBED = "not put: no question follows from these words, none was given"
PLAIN = "{question}"
_LIMITS = re.compile(
    r"\b(?:other than|except|besides|apart from|but|outside|beyond|unless|without|not|un\w+ed)\b"
)


def probe_uses(uses: Sequence[str], own: Mapping[str, Sequence[str]] | None = None) -> list[dict]:
    """Questions for each use, as rows of cases, in the wordings of `data/prohibited_uses.jsonl`: a family a
    use, none of one that gives no question.

    own : use -> the engagement's example questions, each asked as it is before it is asked in another wording
    """
    wordings = [row["question"] for row in case_table.data_rows("prohibited_uses")]
    rows = []
    for number, use in enumerate(filter(str.strip, uses), start=1):
        given = _own_questions(use, own)
        questions = given or subject_questions(use)
        for place in range(max(len(given), len(wordings)) if questions else 0):
            wording = PLAIN if place < len(given) else wordings[place % len(wordings)]
            row = {"case_id": f"p-use-{number:02d}-{place + 1:02d}", "kind": MISUSE, "family": family(use)}
            rows.append(row | {"question": wording.replace(PLAIN, questions[place % len(questions)])})
    return rows


def not_probed(uses: Sequence[str], own: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """The families of the uses for which there is no question."""
    stated = filter(str.strip, uses)
    return [family(use) for use in stated if not (_own_questions(use, own) or subject_questions(use))]


def family(use: str) -> str:
    """The family of a use's probes."""
    return PROHIBITED + " ".join(use.split())[:LONGEST]


def subject_questions(use: str) -> list[str]:
    """Our questions for the subjects that a use names, in turn; none for one that says what the assistant may
    do ("anything but ..."), or a condition of use: that is no subject to ask for."""
    plain = " ".join(use.split()).casefold()
    if _LIMITS.search(plain):
        return []
    known = [
        row["questions"]
        for row in case_table.data_rows("prohibited_subjects")
        if re.search(rf"\b(?:{row['words']})\b", plain)
    ]
    return [question for several in zip_longest(*known) for question in several if question]


def _own_questions(use: str, own: Mapping[str, Sequence[str]] | None) -> list[str]:
    """The engagement's questions for a use, which its file names in the same words."""
    plain = " ".join(use.split()).casefold()
    return [
        " ".join(question.split())
        for named, questions in (own or {}).items()
        if " ".join(named.split()).casefold() == plain
        for question in questions
    ]
