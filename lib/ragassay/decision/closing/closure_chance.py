"""How likely one candidate meets every planned row of what closes the findings, and how many candidates may
be put to it."""

import pandas as pd

from ragassay.defaults import CONFIDENCE, POWER
from ragassay.stats import percent_text

PLAN = "plan"  # how a row says that its number is planned for a fit system
CANDIDATES = 2  # each more gives an unfit system another chance to pass
JOINTLY = (
    "Jointly: {n} rows are planned, those that no release waits for counted too; such a system meets all "
    "with a chance of about {product} if they are independent, in any case of at least {least} "
    "(Bonferroni); rows where none may fail can only lower it."
)
ATTEMPTS = (
    "At most {candidates} candidates: a second is put to every row anew, on new questions; {candidates} "
    "whose share lies beyond what a row shows, its bound, meet it with {wrongly} at most, others more often."
)


def chances(rows: int, each: float = POWER) -> tuple[float, float]:
    """The chance, in [0, 1], that so many tests are passed together, each passed with the same chance: the
    least whatever their dependence (Bonferroni, Frechet), and if they are independent."""
    return max(0.0, 1 - rows * (1 - each)), each**rows


def in_words(proofs: pd.DataFrame) -> str:
    """The joint chance of the planned rows, where there are several, and the limit on candidates; "" where
    nothing has to be closed.

    proofs : of `closure_requirements.proofs`
    """
    if proofs.empty:
        return ""
    n = int(proofs["why"].str.startswith(PLAN).sum())
    least, product = (percent_text(share, 1) for share in chances(n))
    told = JOINTLY.format(n=n, product=product, least=least) if n > 1 else ""
    wrongly = percent_text(CANDIDATES * (1 - CONFIDENCE) / 2)
    return " ".join(filter(None, (told, ATTEMPTS.format(candidates=CANDIDATES, wrongly=wrongly))))
