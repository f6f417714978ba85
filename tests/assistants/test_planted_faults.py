"""An assistant with one known fault is caught by the notebook meant to catch it and by no other; a faultless one
raises nothing.

In the suite: the faults of QUICK, and none, in notebook 02, with 12 questions made from three documents. `make simulate`
plants every fault SEEDS times and asks the faultless assistant FAULTLESS times, in notebooks 02, 03, 05 and 06;
what was found is printed (`-s`). An engagement there has 60 questions made from twelve documents.
"""

import shutil

import pytest

from assistants import faulty, sections
from assistants.oracle import Oracle
from assistants.sections import FUNCTIONALITY, RISK, ROBUSTNESS, WEAKNESS
from ragassay import tables
from ragassay.errors import SystemUnderTestError

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

# fault: what notebook 02 finds, and the cause that is attributed to its answers
QUICK = {
    faulty.drops_citations: ("citations_present", ""),
    faulty.names_wrong_sources: ("citation_correctness", ""),
    faulty.invents_amounts: ("numeric_groundedness", "a figure in no passage"),
    faulty.ignores_negation: ("", "a negation turned"),
    faulty.cites_an_outdated_document: ("superseded_cited", ""),
    faulty.returns_html: ("supported_claims_rate", "a sentence without support"),
}
ALSO = {  # notebooks that rightly find a fault too
    # a correction with a wrong figure is none, and a changed telephone number stands in no document
    faulty.swaps_digits: {RISK, ROBUSTNESS},
    faulty.returns_html: {RISK, ROBUSTNESS},  # a refusal in marks of HTML is not read as one
    faulty.echoes_the_question: {RISK, ROBUSTNESS},  # an echo declines nothing, and changes with the question
    faulty.quotes_superseded_text: {FUNCTIONALITY},
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
        else {"n": 12, "documents": (sections.OLD, "card-travel-notice", "tide-secured-card")}
    )

    def engagement(seed: int = 0):
        if seed not in made:
            folder = tmp_path_factory.mktemp(f"seed{seed}") / "run"
            made[seed] = sections.make_engagement(folder, seed=seed, **size)
        return made[seed]

    return engagement


@pytest.fixture
def executed(engagements, tmp_path):
    """The run folder of an assistant with this fault, or without one."""

    def of(fault, notebooks=ALL, seed=0):
        run_dir = tmp_path / f"{getattr(fault, '__name__', 'faultless')}-{seed}"
        shutil.copytree(engagements(seed), run_dir)
        oracle = Oracle(tables.read(run_dir, "chunks", part="strata"), sections.OLD)
        ask = faulty.Faulty(oracle, fault) if fault else oracle
        for name in dict.fromkeys([FUNCTIONALITY, *notebooks]):
            sections.run_notebook(name, run_dir, ask)
        return run_dir

    return of


@pytest.fixture
def found(executed):
    """What the notebooks find of it."""
    return lambda *which, **options: sections.findings(executed(*which, **options))


@pytest.mark.slow
@pytest.mark.parametrize("assistant", [None, faulty.names_its_sources, faulty.has_ids_of_its_own])
def test_of_a_faultless_assistant_the_first_notebook_finds_nothing(executed, assistant):
    run_dir = executed(assistant, [FUNCTIONALITY])
    assert sections.findings(run_dir) == set()
    recall = tables.read(run_dir, "scores", metric="retrieval_recall")
    assert (recall.state == "scored").mean() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("fault", QUICK, ids=lambda one: one.__name__)
def test_a_fault_is_found_in_the_first_notebook_and_named_as_the_cause(executed, fault):
    run_dir, (check, cause) = executed(fault, [FUNCTIONALITY]), QUICK[fault]
    assert not check or (FUNCTIONALITY, check) in sections.findings(run_dir)
    assert not cause or cause in sections.causes(run_dir)


@pytest.mark.slow
def test_an_assistant_that_says_nothing_stops_the_run(executed):
    with pytest.raises(SystemUnderTestError):
        executed(faulty.is_silent, [FUNCTIONALITY])


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
