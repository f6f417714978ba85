"""How likely one candidate meets every row of what closes the findings that a release waits for, and how many
candidates may be put to it."""

from collections.abc import Mapping, Sequence
from math import log, prod

import pandas as pd

from ragassay.decision.closing import joint_plan
from ragassay.decision.closing.criteria import Criterion
from ragassay.decision.closing.earlier_findings import CANDIDATES, OPEN
from ragassay.defaults import CONFIDENCE, POWER
from ragassay.stats import percent_text

JOINTLY = (
    "Jointly: a release waits for {n} different planned rows. A fit system meets all of them on one "
    "candidate with a chance of at least {least} however they depend on each other (Bonferroni), about "
    "{product} if they are independent.{each}"
)
EACH = " For that each is planned for {each}."
NONE_FAILS = (
    "{rows} where none may fail, {trials:,} trials in all, {meets} by a system that never fails "
    "there; one that fails once in {seldom:,} trials meets {them} with {power}."
)
BOTH = (
    "A system that is both meets all rows of both kinds with {product} if the two are independent, with at "
    "least {least} however they depend on each other."
)
UNKNOWN = "Of {rows} that compare, no chance is known."
ATTEMPTS = (
    "At most {candidates} candidates: a second is put to every row anew, on new questions. A system "
    "that fails as often as a row must rule out, or more often, meets that row with one of {candidates} "
    "candidates in at most {wrongly} of cases; one that fails less often meets it more often. "
    "A later run that names this one as its previous counts those measured again."
)


def chances(each: Sequence[float]) -> tuple[float, float]:
    """The chance, in [0, 1], that several tests are passed together, each passed with its own: the least
    whatever their dependence (Bonferroni, Frechet), and if they are independent."""
    return max(0.0, 1 - sum(1 - chance for chance in each)), prod(each)


def in_words(findings: pd.DataFrame) -> str:
    """The joint chance of the rows that a release waits for, and the limit on candidates; "" where nothing
    has to be closed.

    findings : of `findings.raise_findings`
    """
    if not (findings["status"] == OPEN).any():
        return ""
    rows = joint_plan.of_release(findings.to_dict("records"))
    wrongly = percent_text(CANDIDATES * (1 - CONFIDENCE) / 2)
    return " ".join(
        filter(
            None,
            (
                _jointly([each.chance for each in rows.planned.values()]),
                _none_fails(rows.none_fails),
                _both([each.chance for each in rows.planned.values()], rows.none_fails),
                UNKNOWN.format(rows=_count(len(rows.unknown))) if rows.unknown else "",
                ATTEMPTS.format(candidates=CANDIDATES, wrongly=wrongly),
            ),
        )
    )


def _jointly(each: Sequence[float]) -> str:
    if len(each) < 2:
        return ""
    least, product = (percent_text(share, 1) for share in chances(each))
    same = percent_text(each[0], 1) if set(each) == {each[0]} and each[0] > POWER else ""
    told = EACH.format(each=same) if same else ""
    return JOINTLY.format(n=len(each), least=least, product=product, each=told)


def _none_fails(rows: Mapping[str, Criterion]) -> str:
    """How seldom a system may fail that meets all rows where none may, if its failures are independent; what
    is asked of its own kind beside is a row too."""
    if not rows:
        return ""
    numbers = [n for each in rows.values() for n in (each.fewest, each.of_kind) if n]
    trials, is_one = sum(numbers), len(numbers) == 1
    return NONE_FAILS.format(
        rows=_count(len(numbers)),
        trials=trials,
        meets="is met" if is_one else "are met",
        seldom=seldom(trials),
        them="it" if is_one else "them",
        power=percent_text(POWER),
    )


def _both(planned: Sequence[float], none_fails: Mapping[str, Criterion]) -> str:
    """What is left of two promises that are each made for its own kind of rows."""
    if not planned or not none_fails:
        return ""
    least, product = (percent_text(share) for share in chances([chances(planned)[0], POWER]))
    return BOTH.format(least=least, product=product)


def seldom(trials: int) -> int:
    """In how many trials a system fails once that passes so many without a failure with a chance of
    `POWER`."""
    return round(trials / -log(POWER))


def _count(rows: int) -> str:
    return f"{rows} row{'' if rows == 1 else 's'}"
