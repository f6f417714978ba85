"""Whether all answers are of one version of the assistant: a finding where they are not, or where that is not
known of some."""

from collections.abc import Mapping
from math import nan

import pandas as pd

from ragassay.answers import assistant_versions
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings.finding_texts import FROM_PROCESS, Draft

SOURCE = f"{FROM_PROCESS}one_version"
CRITERION = "All answers are of one version of the assistant."
EFFECT = (
    "Every share, interval and gate is of a mixture of systems: none of it need hold for the version that is "
    "released."
)
ADVICE = (
    "Ask every question again of the version that is to be released, while it is not being changed "
    "(`ragassay run FILE --fresh`)."
)
LOOK = (
    "Let every reply name its version, or correct where it is looked for (`version` in the description of "
    "the assistant), and run again."
)


def finding(answers: Mapping[str, pd.DataFrame]) -> tuple[list[Draft], list[Criterion]]:
    """The draft of a finding, High where versions are mixed, Medium where the version of some answers is not
    known; where all are of one none, and the criterion as met. Neither where replies are to name none.

    answers : the tables of answers of the validated system, in the order in which they were asked
    """
    parts = assistant_versions.together(
        part for table in answers.values() for part in assistant_versions.versions_of(table)
    )
    if not parts:
        return [], []
    said = assistant_versions.sentences(parts)
    return ([_draft(parts, said)], []) if said else ([], [_criterion(passed=True)])


def _draft(parts: list[assistant_versions.Part], said: list[str]) -> Draft:
    known, every = assistant_versions.known_versions(parts), sum(part.n for part in parts)
    silent = every - sum(part.n for part in known)
    is_mixed = len(known) > 1
    unknown = f"Which version gave {silent} of {every} answers is not known"
    return {
        "title": f"{len(known)} versions of the assistant gave the answers" if is_mixed else unknown,
        "condition": " ".join(said),
        "criterion": CRITERION,
        "effect": EFFECT,
        "severity": "High" if is_mixed else "Medium",
        "strata": [],
        "failing": [],
        "share": nan,
        "recommendation": ADVICE if is_mixed else LOOK,
        "source": SOURCE,
        "table": "answers",
        "asked": _criterion(passed=False),
        **{"n": every, "value": nan, "low": nan, "high": nan},
    }


def _criterion(*, passed: bool) -> Criterion:
    return Criterion(SOURCE, passed, CRITERION)
