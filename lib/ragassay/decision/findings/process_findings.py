"""Findings on how this validation was made, not on the system: who judged, and what was asked."""

from collections.abc import Mapping

import pandas as pd

from ragassay.decision import independence
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.findings import version_finding
from ragassay.decision.findings.finding_texts import Draft


def process_findings(
    standing: independence.Independence, answers: Mapping[str, pd.DataFrame]
) -> tuple[list[Draft], list[Criterion]]:
    """The drafts of findings, and the criteria that are met: that raters and validator are independent, and
    that all answers, in tables in the order of asking, are of one version of the assistant."""
    both = [independence.finding(standing), version_finding.finding(answers)]
    drafts = [draft for found, _ in both for draft in found]
    return drafts, [criterion for _, met in both for criterion in met]
