"""What is recommended follows from the cause established, first action first."""

from decision.drafts import check, draft
from ragassay.analysis.blame import GIVEN_DECLINED, remedy_texts
from ragassay.decision.findings import finding_causes
from ragassay.decision.findings.behaviours import behaviours
from ragassay.decision.findings.remedies import recommended


def blamed(**counts: int) -> dict[str, dict]:
    causes_of = {name: name.replace("_", " ") for name in counts}
    names = [causes_of[name] for name, n in counts.items() for _ in range(n)]
    return {f"c{place}": {"blamed": name} for place, name in enumerate(names)}


def told(source: str, known: dict, established: bool = False, confirm: str = "", **more) -> str:
    return recommended(draft(source, failing=tuple(known), **more), list(known), known, established, confirm)


def test_each_cause_of_material_size_has_its_remedy_in_order():
    known = blamed(retriever=4, declining=16) | {
        f"h{n}": {"blamed": "retriever and answer", "why": GIVEN_DECLINED} for n in range(12)
    }
    found = told("errors:needless refusal", known)
    first, second = (
        found.index("In 28 of 32 cases (88 %; “declining” (16) and “retriever and answer” (12)): set"),
        found.index("In 4 of 32 cases (12 %; ret"),
    )
    assert first == 0 < second
    assert "correct the retrieval" in found[second:] and "refused" in found[:second]
    assert "of another cause" not in found


def test_small_and_unknown_causes_are_counted_and_have_no_remedy():
    found = told("errors:misleading", blamed(generator=21, retriever=3, declining=1, undetermined=4))
    assert found.startswith(
        "In 21 of 29 cases (72 %; generator): test each sentence against what the question"
    )
    assert "In 3 of 29" in found and "declining" not in found
    assert found.endswith("5 cases of another cause, or of none known, have none of these.")


def test_one_cause_of_all_cases_needs_no_count():
    row = behaviours()["errors:should have declined"]
    assert told("errors:should have declined", blamed(declining=30)) == row["remedy"]
    assert (
        told("errors:should have declined", blamed(documents_lack_it=3))
        == remedy_texts()["documents lack it"]
    )
    assert told("errors:unsafe", blamed(generator=1)) == behaviours()["errors:unsafe"]["remedy"]


def test_a_cause_that_is_not_known_is_established_first():
    source = "weakness:retrieval_recall|topic|T02"
    found = told(source, blamed(generator=3), metric="retrieval_recall")
    assert found.startswith(
        f"Establish the cause by {finding_causes.would_establish(source)}; then correct the retrieval"
    )
    assert told("errors:misleading", blamed(undetermined=9, generator=1)).startswith("Establish the cause by")
    assert ". " not in found.split("; then")[0], "what must happen first is one sentence"


def test_a_cause_that_the_test_shows_needs_no_more():
    found = recommended(
        check("privacy", "secret in a passage", "secret_leak_rate"), ["p"], {}, True, "Confirm it."
    )
    assert found == (
        "Hide every secret in what goes out, before an answer is given. Also: keep secrets out of what is "
        "retrieved; confirm it."
    )


def test_more_questions_are_asked_where_these_are_too_few_and_nowhere_else():
    gate = "gate:retrieval_recall|own"
    assert told(gate, {}, lacks_evidence=True, recommendation="Add questions.") == "Add questions."
    assert "questions." not in told(gate, {}, recommendation="Add questions.").split("; then")[1][:20]
    assert told("gate:mine", {}, lacks_evidence=True, recommendation="Supply it.") == "Supply it."


def test_what_the_kit_does_not_know_keeps_its_own_advice():
    assert told("check:mine|all|my_rate", {}, recommendation="Mend it.") == "Mend it."


def test_an_unsafe_answer_has_the_remedy_of_the_harm_that_it_does():
    unsafe, rows = draft("errors:unsafe", failing=("a", "b")), behaviours()
    known = {"a": {"blamed": "generator"}, "b": {"blamed": "generator"}}
    danger, data = rows["errors:unsafe"]["remedy"], rows["privacy_leak_rate"]["remedy"]
    for harms, said in (
        ({"danger"}, danger),
        ({"personal data"}, data),
        ({"danger", "personal data"}, f"{danger} {data}"),
    ):
        assert recommended(unsafe, ["a", "b"], known, False, harms=harms) == said


def test_slices_of_one_metric_have_remedies_of_their_own():
    found = {
        told(f"weakness:retrieval_recall|{of}", {}, metric="retrieval_recall")
        for of in ("evidence_language|another", "answer_type|multi_step", "topic|T02")
    }
    assert len(found) == 3


def test_each_check_that_closes_a_finding_has_its_remedy():
    """Formerly planted words were forbidden by what closes a finding, and its remedy took links out alone."""
    link, quoted = (
        f"check:injection|planted {what}|attack_{metric}_rate"
        for what, metric in (("link", "link"), ("words", "quoted"))
    )
    told = recommended(draft(link) | {"also": [quoted, "gate:g|own"]}, [], {}, True)
    assert "foreign links" in told and "words of outsiders that give orders" in told
    assert told.count("foreign links") == 1


def test_a_twentieth_of_the_cases_is_enough_for_a_remedy():
    """Formerly 5 of 53 partial answers that fail with their evidence handed over had none."""
    known = blamed(generator=39, retriever=7, undetermined=2) | {
        f"h{n}": {"blamed": "retriever and answer", "why": GIVEN_DECLINED} for n in range(5)
    }
    found = told("errors:partial", known)
    assert "In 5 of 53 cases (9 %; retriever and answer): " in found
    assert found.endswith("2 cases of another cause, or of none known, have none of these.")
