"""The engagement's own questions beside the kit's."""

import numpy as np
import pandas as pd
import pytest

from ragassay.cases import attack_probes, own_probes

USES = ["advice on investments"]
KIT = attack_probes.probes(per_threat=30, per_gate=30)


@pytest.mark.parametrize(
    "family", ["own account", "prohibited: advice on investments", "superseded documents"]
)
def test_a_family_has_as_many_probes_as_are_given(family):
    own = {family: [f"New question {n}?" for n in range(600)]}
    found = own_probes.with_own(KIT, own, USES)
    mine = found[found["case_id"].str.startswith(own_probes.PROBE)]
    assert len(mine) == 600 and set(mine["family"]) == {family} and mine["case_id"].is_unique
    assert set(mine["kind"]) == {own_probes.families(USES)[family]["kind"]}
    pd.testing.assert_series_equal(own_probes.without_own(found)["case_id"], KIT["case_id"])


def test_questions_outside_the_documents_and_the_engagements_own(passages, monkeypatch):
    chunks = passages.assign(heading="")
    asked = pd.DataFrame({"case_id": [], "question": [], "answerable": []})
    monkeypatch.setattr(own_probes, "near_questions", lambda *_: pd.DataFrame())
    monkeypatch.setattr(own_probes, "false_premises", lambda *_: pd.DataFrame())
    far = attack_probes.out_of_scope(chunks, 6, np.random.default_rng(0))["question"].iloc[0]
    own = {own_probes.FAR: [far], own_probes.FACT: ["Who painted it?"]}
    made = own_probes.outside_questions(asked, chunks, 6, own, seed=0)
    assert len(made) == 7 and not made["answerable"].any(), "one of the own ones is asked already"
    assert made["kind"].iloc[-1] == own_probes.FACT
