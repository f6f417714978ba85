"""Results of made assistants, for the tests of the diagnosis."""

import numpy as np
import pandas as pd


def results_of(*groups: tuple[int, int], **columns) -> pd.DataFrame:
    """One group for each (correct, queries), as GRAMMAR's authors write them in their tests."""
    rows = [
        {"query": f"g{g} q{q}", "group": f"g{g}", "correct": q < correct}
        for g, (correct, n) in enumerate(groups)
        for q in range(n)
    ]
    return pd.DataFrame(rows).assign(**columns)


def drawn_groups(rng: np.random.Generator, n: int = 60, size: int = 4) -> pd.DataFrame:
    """Groups whose chance of a right answer is drawn from a U-shaped beta distribution."""
    right = rng.random((n, size)) < rng.beta(0.5, 0.5, (n, 1))
    served = right | (rng.random((n, size)) < 0.5)
    rows = pd.DataFrame({"group": np.repeat([f"g{g}" for g in range(n)], size), "correct": right.ravel()})
    return rows.assign(query=[f"query {row}" for row in rows.index], retrieval_correct=served.ravel())
