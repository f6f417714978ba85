"""On a real Ray cluster of two workers, one of which is killed: the same bits as here. What a cluster cannot do is said in five parts."""

import io
import json
import os
import socket
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ragassay
from ragassay.api import ray_cluster, scoring
from ragassay.api.parallel_scoring import Cluster, Kept, Work
from ragassay.errors import ClusterError, ModelError
from ragassay.models import encoder
from ragassay.scores import score

METRICS = ["groundedness", "citations_present"]
ROWS = [
    {"question": f"What does account {i} cost?", "answer": f"It costs ${i}.00 a month [1].", "contexts": [f"Account {i} is ${i}.00."]}
    for i in range(12)
]  # fmt: skip
FLAG = "RAGASSAY_TEST_KILL"


class Fragile(Work):
    """Work during which the process ends at once, the first time."""

    def score(self, part: bytes) -> bytes:
        flag = Path(os.environ[FLAG])
        if flag.exists():
            flag.unlink()
            os._exit(1)
        return super().score(part)


@pytest.mark.slow
def test_the_same_bits_though_a_worker_is_killed(monkeypatch, tmp_path):
    """Caches of their own: both compute every vector."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: the extra ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    flag = tmp_path / "kill"
    flag.touch()
    monkeypatch.setenv(FLAG, str(flag))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "theirs"))
    monkeypatch.setattr(scoring, "Work", Fragile)
    cluster = Cluster(workers=2, part=3)
    try:
        found = ragassay.score(ROWS, metrics=METRICS, out=tmp_path / "s.parquet", cluster=cluster).to_pandas()
    except ClusterError as problem:
        if "timed out during startup" not in str(problem):
            raise
        pytest.skip("this machine is too busy: Ray gives its own processes 15 seconds to start")
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "ours"))
    here = ragassay.score(ROWS, metrics=METRICS).to_pandas()
    pd.testing.assert_frame_equal(found, here.astype(found.dtypes), check_exact=True)
    assert not flag.exists() and not (tmp_path / "s.parquet.parts").exists()


def pool(address: str, folder: Path) -> ray_cluster.RayPool:
    return ray_cluster.RayPool(Cluster(address), Work.of(["citations_present"], None, {}, 4), Kept(folder))


def test_nothing_at_the_address(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ray_cluster.answers(f"127.0.0.1:{port}") and ray_cluster.answers(f"ray://127.0.0.1:{port}")
    for address in (f"127.0.0.1:{port}", "nonsense", "host:port:1"):
        with pytest.raises(ClusterError, match="no Ray cluster can be reached") as raised:
            pool(address, tmp_path).submit(0, "key", b"")
        assert raised.value.do and raised.value.where == address


def test_a_lost_head_is_told_with_what_is_finished(tmp_path):
    lost = pool("", tmp_path / "s.parquet.parts")
    lost.kept.write(0, "a" * 64, b"")
    lost.head = "127.0.0.1:1"
    with pytest.raises(ClusterError, match="the Ray cluster was lost") as raised:
        lost._check_head()
    assert "1 parts are finished" in raised.value.do


def test_without_ray_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelError, match=r"\.\[ray\]"):
        pool("", tmp_path).submit(0, "key", b"")


AHEAD = ["groundedness", "answer_relevancy", "citations_present"]
CASES = pd.DataFrame({"case_id": [f"c{i}" for i in range(130)], "question": "What does it cost?"})
LOG = CASES.assign(
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
        with np.load(io.BytesIO(found)) as vectors:
            self.sizes.append(len(vectors.files))
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

    def read(texts, layers):
        size = (1, len(layers) * encoder.WIDTH)
        yield {text: np.random.default_rng(len(text)).normal(size=size) for text in texts}

    monkeypatch.setattr(ray_cluster, "RayPool", pool)
    monkeypatch.setattr(encoder, "_read", read)
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "ours"))
    return made


def here(monkeypatch, tmp_path) -> tuple[pd.DataFrame, int]:
    """The scores, and how many texts were encoded for them."""
    trace = tmp_path / "trace"
    monkeypatch.setenv("RAGASSAY_TRACE", str(trace))
    table = score(LOG, CASES, metrics=AHEAD)
    return table, sum(json.loads(line).get("encoded", 0) for line in trace.read_text().splitlines())


def test_nothing_is_left_to_encode_and_the_bits_are_the_same(pools, monkeypatch, tmp_path):
    found = ray_cluster.compute_ahead(LOG, CASES, AHEAD, Cluster("h:1"), {})
    after, encoded = here(monkeypatch, tmp_path)
    assert found == sum(pools.made[0].sizes) > 130 and len(pools.made[0].sizes) == 3 and pools.made[0].closed
    (tmp_path / "trace").unlink()
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "empty"))
    alone, all_of_them = here(monkeypatch, tmp_path)
    pd.testing.assert_frame_equal(after, alone, check_exact=True)
    assert encoded == 0 and all_of_them > 130


def test_what_came_before_the_cluster_was_lost_stays(pools, monkeypatch, tmp_path):
    pools.lives = 1
    with pytest.raises(ClusterError, match="cluster was lost") as raised:
        ray_cluster.compute_ahead(LOG, CASES, AHEAD, Cluster("h:1"), {})
    assert "in the cache" in raised.value.do and pools.made[0].closed
    assert 0 < here(monkeypatch, tmp_path)[1] < 140
