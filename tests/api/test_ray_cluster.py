"""Scoring on a Ray cluster: the bits of scoring here, in order, each part once, though a worker is killed; what cannot
travel is refused before anything is read."""

import datetime
import json
import os
import socket
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import ragassay
from ragassay.api import ray_cluster, scoring
from ragassay.api.ray_cluster import Cluster, Work
from ragassay.cli import cli
from ragassay.cli.options import take_cluster
from ragassay.errors import ClusterError, ModelError, ParameterError
from ragassay.scores.score import score_batches

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

    def __init__(self, work: Work, finished, lives: int = 99):
        self.work, self.finished, self.lives, self.n, self.open, self.most = work, finished, lives, 0, 0, 0

    def submit(self, part: bytes) -> bytes:
        self.open += 1
        self.most = max(self.most, self.open)
        return part

    def result(self, promise: bytes, number: int) -> bytes:
        if self.n == self.lives:
            raise ClusterError("the Ray cluster was lost", do=self.finished())
        self.n, self.open = self.n + 1, self.open - 1
        return self.work.score(promise)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def pools(monkeypatch):
    """The workers that were made; each next ones are lost after the parts named first in `lives`."""
    made, lives = [], []

    def workers(cluster, work, finished):
        made.append(Here(work, finished, lives.pop(0) if lives else 99))
        return made[-1]

    monkeypatch.setattr(ray_cluster, "Workers", workers)
    return type("Pools", (), {"made": made, "lives": lives})


def on_cluster(out, rows=ROWS, part=2, **options):
    return ragassay.score(rows, metrics=METRICS, out=out, cluster=Cluster(part=part), **options)


@pytest.mark.parametrize("part", [1, 2, 3, 10, 99])
def test_in_order_and_equal_to_scoring_here(pools, tmp_path, part):
    found = on_cluster(tmp_path / "s.parquet", part=part).to_pandas()
    pd.testing.assert_frame_equal(
        found, ragassay.score(ROWS, metrics=METRICS).to_pandas().astype(found.dtypes)
    )
    assert [path.name for path in tmp_path.iterdir()] == ["s.parquet"]


def test_repeats_cases_and_given_scores_come_along(pools, tmp_path):
    rows = [row | {"faithfulness": i / 10} for i, row in enumerate([*ROWS, *ROWS[:3]])]
    cases = pd.DataFrame({"case_id": ["c1"], "answerable": [False]})
    options = {
        "metrics": [*METRICS, "answered"] if "answered" in ragassay.api.scoring.METRICS else METRICS,
        "cases": cases,
    }
    found = ragassay.score(rows, out=tmp_path / "s.parquet", cluster=Cluster(part=4), **options).to_pandas()
    pd.testing.assert_frame_equal(found, ragassay.score(rows, **options).to_pandas().astype(found.dtypes))
    assert set(found["repeat"]) == {0, 1}


def test_a_lost_cluster_names_what_is_finished_and_the_next_call_goes_on(pools, tmp_path):
    pools.lives += [3]
    out = tmp_path / "s.parquet"
    with pytest.raises(ClusterError, match=r"3 parts are kept in .*s\.parquet\.parts"):
        on_cluster(out)
    assert not out.exists()
    found = on_cluster(out).to_pandas()
    assert [pool.n for pool in pools.made] == [3, 2]
    pd.testing.assert_frame_equal(
        found, ragassay.score(ROWS, metrics=METRICS).to_pandas().astype(found.dtypes)
    )
    assert not (tmp_path / "s.parquet.parts").exists()


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
        ({"out": None}, "need a file"),
        ({"encode": len}, "cannot travel"),
        ({"instruments": {"judge": object()}}, "found: judge"),
        ({"cluster": Cluster(part=0)}, "no such cluster"),
        ({"cluster": Cluster(workers=-1)}, "no such cluster"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_before_anything_is_read(tmp_path, options, words):
    def never():
        raise AssertionError("read too early")
        yield

    given = {"out": tmp_path / "s.parquet", "cluster": Cluster()} | options
    with pytest.raises(ParameterError, match=words):
        ragassay.score(never(), metrics=METRICS, **given)


def test_options_of_a_cluster_want_a_cluster():
    options = {"executor": "ray", "address": "h:1", "workers": 2, "batch": 4}
    assert take_cluster(options) == Cluster("h:1", 2) and options == {"batch": 4}
    assert take_cluster({"executor": "local", "address": "", "workers": 0}) is None
    with pytest.raises(ParameterError, match="--executor ray"):
        take_cluster({"executor": "local", "address": "", "workers": 2})


def test_the_command(pools, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    options = ["--metrics", ",".join(METRICS), "--executor", "ray", "--out", "s.parquet"]
    ran = CliRunner().invoke(cli, ["score", "log.jsonl", *options], catch_exceptions=False)
    assert ran.exit_code == 0 and pools.made[0].n == 1 and "Scores of 10 answers" in ran.output


def test_a_worker_with_other_models_is_refused():
    work = Work.of(["groundedness"], None, {}, 4)
    work.check_models()
    other = Work(work.metrics, work.settings, work.named, work.encoder | {"sha256": "0"}, 4)
    with pytest.raises(ModelError, match="other models"):
        other.check_models()


VALUES = (
    st.none()
    | st.text(max_size=20)
    | st.integers()
    | st.floats()
    | st.booleans()
    | st.lists(st.text(max_size=8) | st.none() | st.integers(), max_size=3)
    | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
    | st.sampled_from(["\ud800", "a\0b", np.float64(0.5), datetime.date(2026, 1, 2)])
)
COLUMNS = ["answer", "question", "contexts", "context_ids", "answerable", "latency_s", "schema", "error"]
LISTS = st.sampled_from([np.array(["a", "b"]), ("a", None), []])
OPTIONAL = dict.fromkeys(COLUMNS, VALUES) | {"contexts": VALUES | LISTS}
ODD = ["citations_present", "latency_within_budget", "premise_corrected"]


def scored(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.concat(list(score_batches([rows], metrics=ODD)), ignore_index=True)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.fixed_dictionaries({}, optional=OPTIONAL), min_size=1, max_size=4))
def test_packed_and_back_they_score_to_the_same(records):
    rows = pd.DataFrame(records, dtype=object)
    rows = rows.assign(case_id=[str(i) for i in range(len(rows))], system="s")
    found = scored(ray_cluster.unpack(ray_cluster.pack(rows)))
    pd.testing.assert_frame_equal(found, scored(rows))


def test_a_part_is_known_by_its_answers_the_code_and_how_it_is_scored(monkeypatch):
    work = Work.of(["citations_present"], None, {}, 4)
    others = [
        Work.of(["privacy_leaks"], None, {}, 4),
        Work.of(["citations_present"], None, {"model": "x"}, 4),
    ]
    keys = {work.key(b"one"), work.key(b"two"), *(other.key(b"one") for other in others)}
    assert len(keys) == 4 and work.key(b"one") == Work.of(["citations_present"], None, {}, 9).key(b"one")
    monkeypatch.setattr(ray_cluster, "code_hash", lambda: "other")
    assert work.key(b"one") not in keys


def test_a_damaged_part_is_scored_again(pools, tmp_path):
    pools.lives += [3]
    out = tmp_path / "s.parquet"
    with pytest.raises(ClusterError):
        on_cluster(out)
    first, *others = sorted((tmp_path / "s.parquet.parts").iterdir())
    assert {path.suffix for path in (first, *others)} == {".parquet"}
    first.write_bytes(first.read_bytes()[:-9])
    on_cluster(out)
    assert [pool.n for pool in pools.made] == [3, 3]


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
        found = ragassay.score(ROWS, metrics=ENCODED, out=tmp_path / "s.parquet", cluster=cluster).to_pandas()
    except ClusterError as problem:
        if "timed out during startup" not in str(problem):
            raise
        pytest.skip("this machine is too busy: Ray gives its own processes 15 seconds to start")
    monkeypatch.setenv("RAGASSAY_CACHE", str(tmp_path / "ours"))
    here = ragassay.score(ROWS, metrics=ENCODED).to_pandas()
    pd.testing.assert_frame_equal(found, here.astype(found.dtypes), check_exact=True)
    assert not flag.exists() and not (tmp_path / "s.parquet.parts").exists()


def workers(address: str) -> ray_cluster.Workers:
    return ray_cluster.Workers(
        Cluster(address), Work.of(["citations_present"], None, {}, 4), lambda: "2 are kept"
    )


def test_nothing_at_the_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert ray_cluster.is_listening(f"127.0.0.1:{port}") and ray_cluster.is_listening(
            f"ray://127.0.0.1:{port}"
        )
    for address in (f"127.0.0.1:{port}", "nonsense", "host:port:1"):
        with pytest.raises(ClusterError, match="no Ray cluster can be reached") as raised:
            workers(address).submit(b"")
        assert raised.value.do and raised.value.where == address


def test_a_lost_head_is_told_with_what_is_finished():
    lost = workers("")
    lost.head = "127.0.0.1:1"
    with pytest.raises(ClusterError, match="the Ray cluster was lost") as raised:
        lost.check_head()
    assert "2 are kept" in raised.value.do


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModelError, match=r"\.\[ray\]"):
        workers("").submit(b"")
