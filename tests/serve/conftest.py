"""A server in this process, whose encoder counts letters."""

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

import ragassay
from api.fake_scores import encode
from ragassay.api import calibrating
from ragassay.serve import Limits, Worker, make_app

KEY = "a key of sufficient length"
RIGHT = {"X-API-Key": KEY}
ROWS = [
    {"case_id": "a", "question": "Cost?", "answer": "It costs $18.00 [1].", "contexts": ["It costs $18.00."]},
    {"case_id": "b", "question": "Why?", "answer": "", "contexts": ["Because."]},
    {"case_id": "c", "question": "Who?", "answer": "Nobody knows.", "contexts": None},
]
WANTED = ["groundedness", "citations_present", "privacy_leaks"]


@pytest.fixture
def client_of():
    """A client of a server with these limits, this calibration, this key."""

    def make(calibration=None, key: str = KEY, encode=encode, **limits) -> TestClient:
        worker = Worker(Limits(**limits), calibration, {"encode": encode})
        return TestClient(make_app(worker, key=key), base_url="http://localhost", headers=RIGHT)

    return make


@pytest.fixture(scope="session")
def calibrated(tmp_path_factory):
    """120 answers scored and labelled, their calibration, its folder."""
    draw = np.random.default_rng(0)
    texts = ["".join(draw.choice(list("abcdefgh "), 30)) for _ in range(120)]
    rows = [
        {"case_id": f"c{i}", "question": "q?", "answer": f"x{one}", "contexts": [texts[i - 1]]}
        for i, one in enumerate(texts)
    ]
    scores = ragassay.score(rows, metrics=["groundedness"], encode=encode)
    value = scores.to_pandas()["value"]
    label = (value + 0.3 * value.std() * draw.logistic(size=120) > value.median()).astype(int)
    labels = pd.DataFrame({"case_id": [row["case_id"] for row in rows], "label": label})
    labels = labels.assign(dimension="d", rater="ann", scale="0-1")
    found = ragassay.calibrate(scores, labels, metric="groundedness", dimension="d", alpha=0.2)
    folder = tmp_path_factory.mktemp("calibrated")
    calibrating.write_calibration(found, folder)
    return rows, found, folder
