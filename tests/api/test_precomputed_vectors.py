"""What a cluster computes ahead comes into the cache here, and scoring then computes nothing and gives the same bits."""

import json

import numpy as np
import pandas as pd
import pytest

from ragassay.api import precomputed_vectors, ray_cluster
from ragassay.api.parallel_scoring import Cluster
from ragassay.errors import ClusterError
from ragassay.models import encoder
from ragassay.scores import score

METRICS = ["groundedness", "answer_relevancy", "citations_present"]
CASES = pd.DataFrame({"case_id": [f"c{i}" for i in range(130)], "question": "What does it cost?"})
ANSWERS = CASES.assign(
    system="bank", answer=[f"It costs ${i}.00 [1]." for i in range(130)], contexts=[[f"It costs ${i}.00."] for i in range(130)]
)  # fmt: skip


class Elsewhere:
    """A pool whose workers have a cache of their own; it is lost after so many parts."""

    def __init__(self, cluster, work, kept, monkeypatch, folder, lives):
        self.work, self.kept, self.monkeypatch, self.folder, self.lives = (
            work,
            kept,
            monkeypatch,
            folder,
            lives,
        )
        self.unfinished, self.sizes = set(), []

    def submit(self, number, key, part):
        if not self.lives:
            raise ClusterError("the Ray cluster was lost", do=self.kept.finished())
        self.lives -= 1
        with self.monkeypatch.context() as there:
            there.setenv("RAGASSAY_CACHE", str(self.folder))
            found = self.work.score(part)
        self.sizes.append(len(precomputed_vectors.unpack(found)))
        self.kept.write(number, key, found)

    def close(self):
        self.closed = True


@pytest.fixture
def pools(monkeypatch, tmp_path):
    """The pools that were made, of workers without torch; the cache here is empty; `lives` of the next."""
    made = type("Pools", (), {"made": [], "lives": 99})

    def pool(cluster, work, kept):
        made.made.append(Elsewhere(cluster, work, kept, monkeypatch, tmp_path / "theirs", made.lives))
        return made.made[-1]

    def compute(texts, model):
        yield {text: np.random.default_rng(len(text)).normal(size=encoder.WIDTH) for text in texts}

    monkeypatch.setattr(ray_cluster, "RayPool", pool)
    monkeypatch.setattr(encoder, "_compute", compute)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "ours"))
    return made


def here(monkeypatch, tmp_path) -> tuple[pd.DataFrame, int]:
    """The scores, and how many texts were encoded for them."""
    trace = tmp_path / "trace"
    monkeypatch.setenv("RAGASSAY_TRACE", str(trace))
    table = score(ANSWERS, CASES, metrics=METRICS)
    return table, sum(json.loads(line).get("encoded", 0) for line in trace.read_text().splitlines())


def test_nothing_is_left_to_encode_and_the_bits_are_the_same(pools, monkeypatch, tmp_path):
    found = precomputed_vectors.compute(ANSWERS, CASES, METRICS, Cluster("h:1"), {})
    after, encoded = here(monkeypatch, tmp_path)
    assert found == sum(pools.made[0].sizes) > 130 and len(pools.made[0].sizes) == 3 and pools.made[0].closed
    (tmp_path / "trace").unlink()
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "empty"))
    alone, all_of_them = here(monkeypatch, tmp_path)
    pd.testing.assert_frame_equal(after, alone, check_exact=True)
    assert encoded == 0 and all_of_them > 130


def test_what_came_before_the_cluster_was_lost_stays(pools, monkeypatch, tmp_path):
    pools.lives = 1
    with pytest.raises(ClusterError, match="1 part") as raised:
        precomputed_vectors.compute(ANSWERS, CASES, METRICS, Cluster("h:1"), {})
    assert "in the cache" in raised.value.do and pools.made[0].closed
    assert 0 < here(monkeypatch, tmp_path)[1] < 140


def test_vectors_are_packed_to_the_bit():
    vectors = {
        bytes(range(32)): np.array([0.1, -0.0, np.nan], dtype=np.float32),
        b"": np.empty(0, np.float32),
    }
    found = precomputed_vectors.unpack(precomputed_vectors.pack(vectors))
    assert {key: one.tobytes() for key, one in found.items()} == {
        key: one.tobytes() for key, one in vectors.items()
    }
