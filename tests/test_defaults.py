"""A default stands once: in defaults.py where several rooms share it, else in its own file. The cells of notebooks, which must hold
literals, say the same."""

from pathlib import Path

import pytest

import ragassay
from ragassay import defaults
from ragassay.decision import error_rates
from ragassay.run import notebooks, parameters

ROOT, LIBRARY = Path(__file__).parents[1], Path(ragassay.__file__).parent
OF_THE_LIBRARY = {
    "00_scope.answer_timeout_s": defaults.ANSWER_TIMEOUT_S,
    "00_scope.max_tokens": defaults.MAX_TOKENS,
    "01_test_generation.n_generated": defaults.N_GENERATED,
    "02_functionality.budgets": {"words": defaults.LENGTH_BUDGET, "seconds": defaults.LATENCY_BUDGET},
    "03_risk_safety.misuse_limit": defaults.MISUSE_LIMIT,
    "04_calibration.alpha": defaults.ALPHA,
    "06_weakness.minimum": defaults.FEWEST_OF_A_SLICE,
    "06_weakness.least_effect": defaults.LEAST_EFFECT,
    "06_weakness.level": defaults.SIGNIFICANCE,
    "06_weakness.verdict": defaults.VERDICT,
    "07_conclusion.tolerated_errors": dict(error_rates.TOLERATED),
}
DECLARED = {
    f"{name}.{one.name}": one.default
    for name, book in notebooks(ROOT / "notebooks").items()
    for one in parameters.declared(book)
}


@pytest.mark.parametrize("name", OF_THE_LIBRARY)
def test_a_notebook_has_the_librarys_default(name):
    assert DECLARED[name] == OF_THE_LIBRARY[name]
