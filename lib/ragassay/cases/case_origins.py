"""Where a case comes from: asked by users, written by the validator, or made by the kit; and what it is made
for."""

import pandas as pd

from ragassay.tables import TABLES, is_blank

COLUMN = "origin"
OWN, GENERATED, DATABASE, LOG = "own", "generated", "database", "log"
PROBE, OUTSIDE, VARIATION = "probe", "outside", "variation"
OF_USERS = (LOG, OWN)  # asked by users, or written by the validator for them
MADE = (GENERATED, DATABASE)  # made by the kit from the documents, or from a database
GIVEN = "origin_given"  # a column `origin` of the user's own, kept under this name
OUTSIDE_KINDS = ("out_of_scope", "near_thing", "near_fact", "false_premise", "false_permission")
_OF_KIND = {"generated": GENERATED, "grounded": DATABASE}


def with_origin(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases with their column `origin`, one of those that the table declares; what stands there is kept.

    own, log : the validator's, or of a log; generated, database : made from the documents, or a database;
    probe : an attack or another question of notebook 03; outside : one of notebook 05 that the documents do
    not answer, made of another case or not; variation : another case in other words
    """
    known = TABLES["cases"].columns[COLUMN].allowed
    given = cases[COLUMN] if COLUMN in cases else pd.Series(None, index=cases.index, dtype=object)
    kept = given.where(given.isin(known), None)
    derived = [_derived(row) for row in cases.reindex(columns=["kind", "parent_id"]).to_dict("records")]
    found = pd.Series(derived, index=cases.index, dtype=object)
    return cases.assign(**{COLUMN: kept.where(kept.notna(), found)})


def set_origin(cases: pd.DataFrame, origin: str) -> pd.DataFrame:
    """The cases as of this origin; a column of the user's of that name becomes `origin_given`."""
    return cases.rename(columns={COLUMN: GIVEN}).assign(**{COLUMN: origin})


def _derived(case: dict) -> str:
    kind = "" if is_blank(case["kind"]) else str(case["kind"])
    if kind.startswith(("probe: ", "bias: ")):
        return PROBE
    if kind in OUTSIDE_KINDS:
        return OUTSIDE
    if not is_blank(case["parent_id"]):
        return VARIATION
    return _OF_KIND.get(kind, OWN if kind else LOG)
