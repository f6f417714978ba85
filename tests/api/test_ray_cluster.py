"""On a real Ray cluster of two workers, one of which is killed: the same bits as here. What a cluster cannot do is said in five parts."""

import os
import socket
import sys
from pathlib import Path

import pandas as pd
import pytest

import ragassay
from ragassay.api import ray_cluster, scoring
from ragassay.api.parallel_scoring import Cluster, Work
from ragassay.api.scoring_parts import Kept
from ragassay.errors import ClusterError, ModelError

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
    assert "1 part is finished" in raised.value.do and "run the same command" in raised.value.do


def test_without_ray_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelError, match=r"\.\[ray\]"):
        pool("", tmp_path).submit(0, "key", b"")


def test_a_cluster_of_an_address_may_want_a_token():
    """Ray's own error does not say so."""
    problem = ConnectionError("Failed to connect")
    assert "RAY_AUTH_MODE=token" in ray_cluster._no_start(Cluster("h:1"), problem).do
    assert "token" not in ray_cluster._no_start(Cluster(), problem).do
