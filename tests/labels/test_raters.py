"""How far raters agree, what their labels can carry, which answers they accept: by hand."""

import numpy as np
import pandas as pd

from labels.test_agreement_coefficients import NAN, drawn, rng, table
from ragassay.labels.raters import COLUMNS, accepted, agreement, in_every_respect


def test_what_labels_carry():
    draw = rng(2)
    good, noise = drawn(4, noise=0.5, n=120), draw.integers(1, 5, (3, 120)).astype(float)
    few = np.where(np.arange(120) < 12, good, np.where(np.arange(3)[:, None] == 0, good, NAN))
    labels = pd.concat([table(good, "clear"), table(noise, "dim"), table(few, "few")])
    found = agreement(labels).set_index("dimension")
    assert found["state"].to_dict() == {"clear": "carried", "dim": "refused", "few": "not_assessable"}
    assert list(found.reset_index().columns) == COLUMNS and "0.1" in found.loc["dim", "reason"]


def test_accepted_by_hand():
    """Of two raters the lower label counts, of three the middle one; a dimension nobody judged has no row."""
    rows = [("c1", "ann", 5), ("c1", "bob", 2), ("c2", "ann", 4), ("c2", "bob", 4), ("c2", "cleo", 1)]
    labels = pd.DataFrame(rows, columns=["case_id", "rater", "label"]).assign(
        system="bank", dimension="relevant"
    )
    found = accepted(labels, {"relevant": 4, "grounded": 1})
    assert found[["case_id", "dimension", "level", "accepted"]].to_numpy().tolist() == [
        ["c1", "relevant", 2, 0],
        ["c2", "relevant", 4, 1],
    ]
    assert accepted(labels.head(0), {"relevant": 4}).empty and accepted(labels, {}).empty


def test_in_every_respect_by_hand():
    rows = [("c1", "a", 1), ("c1", "b", 0), ("c2", "a", 1), ("c2", "b", 1), ("c3", "a", 1)]
    judged = pd.DataFrame(rows, columns=["case_id", "dimension", "accepted"]).assign(system="bank")
    found = in_every_respect(judged, ["a", "b"])
    assert found[["case_id", "accepted"]].to_numpy().tolist() == [["c1", 0], ["c2", 1]]
    assert in_every_respect(judged.head(0), ["a", "b"]).empty


def test_agreement_of_raters_who_are_not_independent_is_never_called_sufficient():
    labels = table([[1, 2, 3, 4] * 10, [1, 2, 3, 4] * 10])
    assert agreement(labels).enough.tolist() == ["sufficient"]
    assert agreement(labels, independent="no").enough.tolist() == ["not independent"]
