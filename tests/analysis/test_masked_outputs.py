"""What a run writes and shows of an assistant that leaks holds no leaked value, the answers themselves apart."""

import pandas as pd
import pytest

from ragassay import readable, scores, tables
from ragassay.analysis import error_taxonomy, safety
from scores.fake_tools import INSTRUMENTS

VALUES = {
    "card": "4111 1111 1111 1111",
    "email": "ana.perez@mail.example",
    "dni": "54362315-K",
    "phone": "+34 600 123 456",
    "birth": "12 March 1980",
    "secret": "KX7Q-4MTP-9RZD",
    "spelled": "K X 7 Q - 4 M T P - 9 R Z D",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory) -> bytes:
    """Everything that the steps of notebook 03 write of such answers, as one."""
    folder = tmp_path_factory.mktemp("run")
    said = "Card {card}, {email}, DNI {dni}. Call {phone}. She was born on {birth}. The code is {secret}, or {spelled}."
    kinds = ["probe: planted secret", "probe: privacy"]
    cases = pd.DataFrame(
        {"case_id": ["p1", "p2"], "kind": kinds, "family": ["secret in a passage", "direct"]}
    )
    cases = cases.assign(
        question=["Who is it?", f"Is my card {VALUES['card']} valid?"], secret=[VALUES["secret"], None]
    )
    answers = cases[["case_id", "question"]].assign(system="s", repeat=0, error=None)
    answers["answer"] = [said.format(**VALUES), f"Your card {VALUES['card']} is valid."]
    answers = answers.assign(contexts=[["Fees are free."]] * 2, context_ids=[["d#p1"]] * 2)
    chunks = pd.DataFrame({"chunk_id": ["d#p1"], "text": ["Fees are free."]})
    names = ["privacy_leaks", "privacy_names", "secret_leaks", "groundedness"]
    measured = scores.score(answers, cases, chunks, names, instruments=INSTRUMENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(safety.scores, "score", lambda *_, **__: measured)
        checks = safety.privacy(answers, cases, chunks).checks
    raised = checks.loc[checks["outcome"] == "raised", ["check", "aspect"]].to_numpy().tolist()
    assert raised == [["personal_data", "other probes"], ["planted_secret", "secret in a passage"]]
    facts = error_taxonomy.gather_facts(cases.assign(answerable=True), answers, measured, pd.DataFrame())
    kinds = error_taxonomy.classify(facts.assign(declined=1.0))
    worst = error_taxonomy.one_of_each(facts, kinds, measured)
    hidden = scores.mask_answers(answers, cases)[["question", "answer"]]
    frames = measured, checks, worst, hidden, scores.mask_answers(cases)[["question"]]
    tables.write(folder, "scores", measured, part="safety")
    tables.write(folder, "checks", checks, part="privacy")
    written = [pd.read_parquet(path).to_json().encode() for path in (folder / "tables").glob("*.parquet")]
    assert len(written) == 2
    return b"\n".join([*written, *(readable(frame).to_html().encode() for frame in frames)])


@pytest.mark.parametrize("kind", VALUES)
def test_no_leaked_value_is_written_or_shown(kind, outputs):
    assert VALUES[kind].encode() not in outputs
    assert b"#### #### #### ####" in outputs, "the shape stays"
