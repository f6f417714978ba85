"""A default stands once: in defaults.py where several rooms share it, else in its own file. The cells of notebooks, which must hold
literals, say the same."""

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragassay
from ragassay import defaults
from ragassay.decision.findings import error_findings, finding_severity, risk_matrix
from ragassay.decision.monitoring import monitoring
from ragassay.decision.pilot import pilot_plan, pilot_staff_reading_test, pilot_start_effort
from ragassay.run import notebooks, parameters

ROOT, LIBRARY = Path(__file__).parents[1], Path(ragassay.__file__).parent
OF_THE_LIBRARY = {
    "00_scope.answer_timeout_s": defaults.ANSWER_TIMEOUT_S,
    "00_scope.max_tokens": defaults.MAX_TOKENS,
    "01_test_generation.n_generated": defaults.N_GENERATED,
    "01_test_generation.half_width": defaults.HALF_WIDTH,
    "01_test_generation.near_duplicate": defaults.NEAR_DUPLICATE,
    "02_functionality.length_budget": defaults.LENGTH_BUDGET,
    "02_functionality.latency_budget": defaults.LATENCY_BUDGET,
    "03_risk_safety.misuse_limit": defaults.MISUSE_LIMIT,
    "04_calibration.alpha": defaults.ALPHA,
    "04_calibration.verdict": defaults.VERDICT,
    "06_weakness.minimum": defaults.FEWEST_OF_A_SLICE,
    "06_weakness.least_effect": defaults.LEAST_EFFECT,
    "06_weakness.level": defaults.SIGNIFICANCE,
    "06_weakness.verdict": defaults.VERDICT,
    "07_conclusion.tolerated_errors": dict(error_findings.TOLERATED),
    "07_conclusion.impacts": dict(risk_matrix.IMPACTS),
    "07_conclusion.days_until_due": dict(finding_severity.DAYS),
    "07_conclusion.false_alarms_a_year": monitoring.Promise.false_alarms,
    "07_conclusion.noticed_rise": monitoring.Promise.rise,
    "07_conclusion.pilot_weeks": pilot_plan.Terms.weeks,
    "07_conclusion.minutes_per_new_question": pilot_start_effort.StartEffort.minutes_to_write,
    "07_conclusion.pilot_ceiling": pilot_staff_reading_test.Reading.ceiling,
}
DECLARED = {
    f"{name}.{one.name}": one.default
    for name, book in notebooks(ROOT / "notebooks").items()
    for one in parameters.declared(book)
}
NO_CHOICE = (0, 1, -1)  # none, once, off: they say nothing that could differ
OTHER_THINGS = {("limit", 200)}  # letters of a line that is shown, pairs of passages that are listed


def literals(path: Path) -> Iterator[tuple[str, object]]:
    """Name and value of every default that is a literal: of parameters, fields, options of the command line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = [*node.args.posonlyargs, *node.args.args]
            pairs = zip(reversed(names), reversed(node.args.defaults), strict=False)
            both = [*pairs, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
            yield from ((name.arg, one.value) for name, one in both if isinstance(one, ast.Constant))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant):
            yield ast.unparse(node.target), node.value.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "click.option":
            given = {one.arg: one.value for one in node.keywords}.get("default")
            name = ast.literal_eval(node.args[0]).lstrip("-").replace("-", "_")
            yield from [(name, given.value)] if isinstance(given, ast.Constant) else []


@pytest.fixture(scope="module")
def written() -> list[tuple[Path, str, object]]:
    """File, name and value of every such default of the library."""
    return [(path, name, value) for path in LIBRARY.rglob("*.py") for name, value in literals(path)]


@pytest.mark.parametrize("name", OF_THE_LIBRARY)
def test_a_notebook_has_the_librarys_default(name):
    assert DECLARED[name] == OF_THE_LIBRARY[name]


def test_what_a_pilot_tolerates_of_misleading_answers_is_what_findings_do():
    assert pilot_staff_reading_test.Reading.misleading == error_findings.TOLERATED[error_findings.MISLEADING]


def test_no_number_is_the_default_of_a_name_in_two_files(written):
    found = defaultdict(set)
    for path, name, value in written:
        if isinstance(value, int | float) and not isinstance(value, bool) and value not in NO_CHOICE:
            found[name, value].add(path.relative_to(LIBRARY).as_posix())
    assert {key: files for key, files in found.items() if len(files) > 1 and key not in OTHER_THINGS} == {}


def test_no_number_of_the_shared_defaults_is_written_again_under_its_name(written):
    shared = {name.lower(): value for name, value in vars(defaults).items() if name.isupper()}
    numbers = {(name, json.dumps(value)) for name, value in shared.items()}
    again = [
        (path.name, name)
        for path, name, value in written
        if path.name != "defaults.py" and (name, json.dumps(value)) in numbers
    ]
    assert again == []
