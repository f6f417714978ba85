"""Language: what is told apart, the doubt, the bundled texts, and answers measured."""

import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from py3langid import rank
from word_tools import WordTools

from ragassay import documents
from ragassay.scores.families.form import (
    detect,
    distances,
    expected_language,
    is_in,
    is_long_enough,
    language_match,
)
from ragassay.scores.metric import NotApplicable
from ragassay.scores.prepared_answer import Sample

TEXTS = {
    "en": "The monthly fee is waived if the average balance stays above the limit.",
    "es": "La comisión mensual no se cobra si el saldo medio supera el límite.",
    "pt": "A tarifa mensal não é cobrada se o saldo médio ficar acima do limite.",
    "de": "Die monatliche Gebühr entfällt, wenn das durchschnittliche Guthaben über der Grenze bleibt.",
    "ar": "لا يتم تحصيل الرسوم الشهرية إذا بقي متوسط الرصيد فوق الحد الأدنى",
}


@pytest.mark.parametrize("written", TEXTS)
@pytest.mark.parametrize("expected", TEXTS)
def test_only_its_own_language_passes(written, expected):
    assert is_in(TEXTS[written], expected) == float(written == expected)
    assert detect(TEXTS[written]) == written


def test_distances_are_those_of_the_library_in_its_own_scale():
    text = TEXTS["en"]
    ranked, found = rank(text), distances(text)
    assert list(found) == [name for name, _ in ranked] and found["en"] == 0.0
    assert found["es"] == pytest.approx((ranked[0][1] - dict(ranked)["es"]) / len(text) ** 0.5)


def test_refusals():
    with pytest.raises(ValueError, match="fewer than 20 letters"):
        is_in("No.", "en")
    with pytest.raises(ValueError, match="knows no language 'tlh'"):
        is_in(TEXTS["en"], "tlh")


@pytest.fixture(scope="module")
def bundled() -> dict[str, list[str]]:
    """Prose sentences of the bundled documents, and the bundled questions, by language; each once, with letters enough to be judged."""
    folder = Path(str(files("ragassay") / "example"))
    loaded, _ = documents.load(folder / "documents")
    texts = [
        (row.language, one)
        for row in loaded.itertuples()
        for one in documents.sentences(row.text)
        if "|" not in one
    ]
    lines = [
        line
        for path in sorted((folder / "questions").glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    texts += [(row["language"], row["question"]) for row in map(json.loads, lines)]
    return {
        name: sorted({text for found, text in texts if found == name and is_long_enough(text)})
        for name in ("en", "es", "pt")
    }


def test_a_spanish_or_portuguese_text_of_the_bank_hardly_ever_passes_as_another(bundled):
    others = [
        is_in(text, other)
        for name in ("es", "pt")
        for text in bundled[name]
        for other in bundled
        if other != name
    ]
    assert np.mean(others) <= 0.01


TOOLS = WordTools()
SPANISH = "La comisión mensual no se cobra si el saldo medio supera el límite."


def sample_of(answer: str | None, **more) -> Sample:
    return Sample("c1", "s", answer=answer, **more)


def test_language_by_hand():
    value, detail = language_match(
        sample_of(f"{SPANISH} [a#p1]", language="es", declared_language="es"), TOOLS
    )
    assert value == 1.0 and detail == [{"text": SPANISH, "language": "es", "expected": "es"}]
    assert language_match(sample_of(SPANISH, language="en", declared_language="en"), TOOLS)[0] == 0.0
    with pytest.raises(NotApplicable, match="fewer than 20 letters"):
        language_match(sample_of("5 %"), TOOLS)


def test_the_language_of_the_case_then_of_the_question_then_english():
    question = "¿Cuánto cuesta la cuenta corriente al mes?"
    assert expected_language(sample_of(SPANISH, question=question)) == "es"
    assert (
        expected_language(sample_of(SPANISH, question=question, language="pt", declared_language="pt"))
        == "pt"
    )
    assert expected_language(sample_of(SPANISH, question="¿Y?")) == "en"
