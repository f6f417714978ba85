"""An assistant with one known fault is caught by the notebook meant to catch it and by no other; a faultless one
raises nothing.

In the suite: one fault, and none, in notebook 02, with 12 questions made from three documents. `make simulate`
plants every fault SEEDS times and asks the faultless assistant FAULTLESS times, in notebooks 02, 03, 05 and 06;
what was found is printed (`-s`). An engagement there has 60 questions made from twelve documents.
"""

import shutil

import pytest

from assistants import faulty, sections
from assistants.oracle import Oracle
from assistants.sections import FUNCTIONALITY, RISK, ROBUSTNESS, WEAKNESS
from ragassay import tables

SEEDS, FAULTLESS = 3, 20
# fault: the notebooks that must catch it, and the check by which they do
CAUGHT = {
    faulty.drops_citations: {(FUNCTIONALITY, "citations_present")},
    faulty.swaps_digits: {(FUNCTIONALITY, "numeric_groundedness")},
    faulty.refuses_everything: {(FUNCTIONALITY, "abstention_correct")},
    faulty.echoes_the_question: {(FUNCTIONALITY, "supported_claims_rate")},
    faulty.is_rate_limited: {(FUNCTIONALITY, "answered")},
    faulty.times_out_on_long_questions: {(FUNCTIONALITY, "answered")},
    faulty.returns_html: {(FUNCTIONALITY, "supported_claims_rate")},
    faulty.obeys_a_planted_passage: {(RISK, "planted_injection")},
    faulty.leaks_its_prompt: {(RISK, "injection")},
    faulty.leaks_a_canary: {(RISK, "planted_secret")},
    faulty.is_worse_for_one_group: {(RISK, "bias")},
    faulty.quotes_superseded_text: {(RISK, "superseded")},
    faulty.answers_everything: {(ROBUSTNESS, "outside_documents")},
    faulty.hedges_then_invents: {(ROBUSTNESS, "outside_documents")},
    faulty.ignores_negation: {(ROBUSTNESS, "outside_documents")},
    faulty.depends_on_order: {(ROBUSTNESS, "passages_changed")},
    faulty.differs_each_time: {(ROBUSTNESS, "repeatability")},
    faulty.keeps_state: {(ROBUSTNESS, "repeatability")},
    faulty.fails_on_long_questions: {(WEAKNESS, "length")},
}

ALSO = {  # notebooks that rightly find a fault too
    # a correction with a wrong figure is none, and a changed telephone number stands in no document
    faulty.swaps_digits: {RISK, ROBUSTNESS},
    faulty.returns_html: {RISK, ROBUSTNESS},  # a refusal in marks of HTML is not read as one
    faulty.echoes_the_question: {RISK, ROBUSTNESS},  # an echo declines nothing, and changes with the question
    faulty.keeps_state: {FUNCTIONALITY, RISK},  # it tells what was asked before, of other groups too
}
ALL = (FUNCTIONALITY, RISK, ROBUSTNESS, WEAKNESS)


@pytest.fixture(scope="module")
def engagements(request, tmp_path_factory):
    """The engagement of a seed, made once."""
    made = {}
    size = (
        {}
        if request.config.getoption("--simulate")
        else {"n": 12, "documents": (sections.OLD, "savings-accounts", "wire-transfers")}
    )

    def engagement(seed: int = 0):
        if seed not in made:
            folder = tmp_path_factory.mktemp(f"seed{seed}") / "run"
            made[seed] = sections.make_engagement(folder, seed=seed, **size)
        return made[seed]

    return engagement


@pytest.fixture
def found(engagements, tmp_path):
    """What the notebooks find of an assistant with this fault, or without one."""

    def of(fault, notebooks=ALL, seed=0):
        run_dir = tmp_path / f"{getattr(fault, '__name__', 'faultless')}-{seed}"
        shutil.copytree(engagements(seed), run_dir)
        oracle = Oracle(tables.read(run_dir, "chunks", part="strata"), sections.OLD)
        ask = faulty.Faulty(oracle, fault) if fault else oracle
        for name in dict.fromkeys([FUNCTIONALITY, *notebooks]):
            sections.run_notebook(name, run_dir, ask)
        return sections.findings(run_dir)

    return of


@pytest.mark.slow
def test_of_a_faultless_assistant_the_first_notebook_finds_nothing(found):
    assert found(None, [FUNCTIONALITY]) == set()


@pytest.mark.slow
@pytest.mark.parametrize("fault", [faulty.drops_citations], ids=lambda one: one.__name__)
def test_a_fault_is_caught_by_its_own_notebook(found, fault):
    assert CAUGHT[fault] <= found(fault, [FUNCTIONALITY])


@pytest.fixture
def at_length(request):
    """Only with --simulate: minutes for each assistant."""
    if not request.config.getoption("--simulate"):
        pytest.skip("minutes for each assistant: make simulate")


@pytest.mark.simulation
@pytest.mark.parametrize("fault", CAUGHT, ids=lambda one: one.__name__)
def test_every_fault_is_caught_by_its_notebook_and_by_no_other(found, fault, at_length):
    told = [found(fault, seed=seed) for seed in range(SEEDS)]
    print(f"{fault.__name__}: caught in {sum(CAUGHT[fault] <= one for one in told)} of {SEEDS}: {told}")
    meant = {name for name, _ in CAUGHT[fault]} | ALSO.get(fault, set())
    assert all(CAUGHT[fault] <= one for one in told)
    assert all({name for name, _ in one} <= meant for one in told)


@pytest.mark.simulation
def test_a_faultless_assistant_raises_nothing(found, at_length):
    """A notebook's rows hold their errors at 0.05 a section: of 20 engagements at most three have a finding,
    which happens with 98 % if one in twenty does."""
    told = [found(None, seed=seed) for seed in range(FAULTLESS)]
    print(f"faultless: {sum(map(bool, told))} of {FAULTLESS} with a finding: {[one for one in told if one]}")
    assert sum(map(bool, told)) <= 3
