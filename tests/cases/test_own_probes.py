"""The engagement's own questions beside the kit's."""

import pandas as pd
import pytest

from ragassay.cases import attack_probes, own_probes
from ragassay.cases.outside_documents import FACT

USES = ["advice on investments"]
KIT = attack_probes.probes(per_threat=30, per_gate=30)


@pytest.mark.parametrize(
    "family", ["own account", "prohibited: advice on investments", "superseded documents"]
)
def test_a_family_has_as_many_probes_as_are_given(family):
    """Formerly a family held the 8 to 16 probes of the kit's list, and 250 were asked to close it."""
    own = {family: [f"New question {n}?" for n in range(600)]}
    found = own_probes.with_own(KIT, own, USES)
    mine = found[found["case_id"].str.startswith("p-own-")]
    assert len(mine) == 600 and set(mine["family"]) == {family} and mine["case_id"].is_unique
    assert set(mine["kind"]) == {own_probes.families(USES)[family]["kind"]}
    assert found.head(len(KIT))["case_id"].tolist() == KIT["case_id"].tolist()


def test_what_is_asked_already_is_not_asked_again_and_nothing_given_changes_nothing():
    known = KIT["question"].iloc[0]
    own = {"own account": [known.upper(), "What did I spend?", "what  did I spend?"]}
    assert len(own_probes.with_own(KIT, own, USES)) == len(KIT) + 1
    assert own_probes.with_own(KIT, {}, USES) is KIT


def test_own_questions_without_an_answer():
    made = pd.DataFrame({"case_id": ["n-1"], "kind": [FACT], "question": ["Who built it?"]})
    found = own_probes.with_own_unanswerable(made, {FACT: ["Who built it?", "Who painted it?"]})
    assert found["question"].tolist() == ["Who built it?", "Who painted it?"]
    assert not found["answerable"].iloc[1] and found["kind"].iloc[1] == FACT
    assert own_probes.with_own_unanswerable(made, {}) is made
