"""What the OpenAPI document says is so: schemathesis asks every address, with sound bodies and others."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode, checks
from schemathesis.specs.openapi import checks as openapi_checks

from ragassay.api.calibrating import read_calibration
from serve.conftest import RIGHT

CHECKS = [
    checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.negative_data_rejection,
]  # whether an object is an answer is said by the reader of logs: sound by the schema may still be refused
QUICK = {"derandomize": True, "deadline": None, "phases": [Phase.generate]}
FEW = settings(max_examples=8, suppress_health_check=list(HealthCheck), **QUICK)
LIGHT = ["groundedness", "privacy_leaks"]  # and no network is loaded


SCORED, JUDGED = "POST /score", "POST /calibrated"
READ = ("GET /metrics", "GET /health")


@pytest.fixture
def operations(client_of, calibrated):
    """What the document describes, by name."""
    app = client_of(read_calibration(calibrated[2])).app
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=RIGHT)
    found = {each.ok().label: each.ok() for each in schema.get_all_operations()}
    assert list(found) == [SCORED, JUDGED, *READ]
    return found


def statuses(operation, mode: GenerationMode) -> set[int]:
    """Those of the answers to requests made up for an address; all of them are as the document says."""
    seen = set[int]()

    @FEW
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case):
        if mode is GenerationMode.POSITIVE and operation.label == SCORED:
            case.body["metrics"] = LIGHT
        if mode is GenerationMode.POSITIVE and operation.method == "post":
            say_something(case.body["answers"])
        seen.add(case.call_and_validate(headers=RIGHT, checks=CHECKS).status_code)

    ask()
    return seen


def say_something(answers: dict | list) -> None:
    """An answer for those that have no column of one."""
    for each in answers if isinstance(answers, list) else [answers]:
        each.setdefault("answer", "It costs $18.00.")


def test_sound_requests_are_served(operations):
    found = {name: statuses(one, GenerationMode.POSITIVE) for name, one in operations.items()}
    assert all(200 in codes <= {200, 422} for codes in found.values()), found


def test_unsound_requests_are_refused(operations):
    assert 422 in statuses(operations[SCORED], GenerationMode.NEGATIVE)
    assert 422 in statuses(operations[JUDGED], GenerationMode.NEGATIVE)
