"""Scoring on a Ray cluster: the scores of scoring here, in order, each part once, though a worker is killed; what cannot
travel is refused before anything is read."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import ragassay
from ragassay.api import ray_cluster
from ragassay.api.ray_cluster import Cluster, Work
from ragassay.errors import ClusterError, ModelError, ParameterError

FLAG = "RAGASSAY_TEST_KILL"
ENCODED = ["groundedness", "citations_present"]
METRICS = ["citations_present", "privacy_leaks"]
ROWS = [
    {"case_id": f"c{i}", "question": "What does it cost?", "answer": f"It costs ${i}.00 [1].", "contexts": ["It costs $1.00."]}
    for i in range(10)
]  # fmt: skip


class Here:
    """Workers in this process, three parts at a time; lost after so many parts."""

    at_once = 3

    def __init__(self, work: Work, kept: Path, lives: int = 99):
        self.work, self.kept, self.lives, self.n, self.open, self.most = work, kept, lives, 0, 0, 0

    def submit(self, part):
        self.open += 1
        self.most = max(self.most, self.open)
        return part

    def result(self, promise, number: int):
        if self.n == self.lives:
            raise ClusterError("the Ray cluster was lost")
        self.n, self.open = self.n + 1, self.open - 1
        return self.work.score(promise)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def pools(monkeypatch):
    """The workers that were made; each next ones are lost after the parts named first in `lives`."""
    made, lives = [], []

    def workers(cluster, work, kept):
        made.append(Here(work, kept, lives.pop(0) if lives else 99))
        return made[-1]

    monkeypatch.setattr(ray_cluster, "Workers", workers)
    return type("Pools", (), {"made": made, "lives": lives})


def on_cluster(out, rows=ROWS, part=2, **options):
    return ragassay.score(rows, metrics=METRICS, out=out, cluster=Cluster(part=part), **options)


@pytest.mark.parametrize("part", [1, 3, 99])
def test_in_order_and_equal_to_scoring_here(pools, tmp_path, part):
    rows = [row | {"faithfulness": i / 10} for i, row in enumerate([*ROWS, *ROWS[:3]])]
    cases = pd.DataFrame({"case_id": ["c1"], "answerable": [False]})
    found = on_cluster(tmp_path / "s.parquet", rows, part, cases=cases).to_pandas()
    here = ragassay.score(rows, metrics=METRICS, cases=cases).to_pandas()
    pd.testing.assert_frame_equal(found, here.astype(found.dtypes))
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"] and set(found["repeat"]) == {0, 1}


def test_after_a_lost_cluster_the_next_call_goes_on(pools, tmp_path):
    pools.lives += [3]
    out = tmp_path / "s.parquet"
    with pytest.raises(ClusterError):
        on_cluster(out)
    assert not out.exists()
    first, *others = sorted((tmp_path / "s.parquet.parts").iterdir())
    assert len(others) == 2
    first.write_bytes(first.read_bytes()[:-9])  # damaged: scored again
    on_cluster(out)
    assert [pool.n for pool in pools.made] == [3, 3] and not (tmp_path / "s.parquet.parts").exists()


def test_what_is_finished_of_other_answers_is_scored_again(pools, tmp_path):
    pools.lives += [3]
    with pytest.raises(ClusterError):
        on_cluster(tmp_path / "s.parquet")
    on_cluster(tmp_path / "s.parquet", [row | {"answer": "Other."} for row in ROWS])
    assert [pool.n for pool in pools.made] == [3, 5]


def test_few_parts_are_in_memory_at_a_time(pools, tmp_path):
    on_cluster(tmp_path / "s.parquet", (row for row in ROWS * 2), part=1)
    assert pools.made[0].most == 4 and pools.made[0].n == 20


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"out": None}, "--out"),
        ({"encode": len}, "cannot travel"),
        ({"instruments": {"judge": object()}}, "found: judge"),
        ({"cluster": Cluster(part=0)}, "part=0"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_before_anything_is_read(tmp_path, options, words):
    def never():
        raise AssertionError("read too early")
        yield

    given = {"out": tmp_path / "s.parquet", "cluster": Cluster()} | options
    with pytest.raises(ParameterError, match=words):
        ragassay.score(never(), metrics=METRICS, **given)


def test_a_worker_with_other_models_is_refused():
    work = Work.of(["groundedness"], None, {}, 4)
    with pytest.raises(ModelError, match="other models"):
        replace(work, encoder=work.encoder | {"sha256": "0"}).score(pd.DataFrame(ROWS))


class Fragile(Work):
    """Work during which the process ends at once, the first time."""

    def score(self, answers):
        flag = Path(os.environ[FLAG])
        if flag.exists():
            flag.unlink()
            os._exit(1)
        return super().score(answers)


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
    monkeypatch.setattr(Work, "of", Fragile.of)
    cluster = Cluster(workers=2, part=3)
    try:
        found = ragassay.score(ROWS, metrics=ENCODED, out=tmp_path / "s.parquet", cluster=cluster).to_pandas()
    except ClusterError as problem:
        if "timed out during startup" not in str(problem):
            raise
        pytest.skip("this machine is too busy: Ray gives its own processes 15 seconds to start")
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "ours"))
    here = ragassay.score(ROWS, metrics=ENCODED).to_pandas()
    pd.testing.assert_frame_equal(found, here.astype(found.dtypes), check_exact=True)
    assert not flag.exists() and not (tmp_path / "s.parquet.parts").exists()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "host:port:1"])
def test_nothing_at_the_address(tmp_path, address):
    with pytest.raises(ClusterError, match="0 parts are kept") as raised:
        ray_cluster.Workers(Cluster(address), Work.of(METRICS, None, {}, 4), tmp_path)
    assert raised.value.where == address


def test_without_ray_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelError, match=r"\.\[ray\]"):
        ray_cluster.Workers(Cluster(), Work.of(METRICS, None, {}, 4), tmp_path)
