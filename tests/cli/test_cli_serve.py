"""`ragassay serve`: what the options become, and what is refused before anything is loaded."""

import sys

import pytest
from click.testing import CliRunner

import ragassay
from ragassay import serve as app
from ragassay.cli import serve
from ragassay.errors import InputError, KitError, ParameterError


def call(*words: str) -> None:
    CliRunner().invoke(serve, words, catch_exceptions=False, standalone_mode=False)


def test_options_become_limits(monkeypatch):
    seen = {}
    monkeypatch.setattr(app, "serve", lambda worker, **place: seen.update(place, limits=worker.limits))
    call("--port", "0", "--answers", "3")
    limits = seen["limits"]
    assert (seen["host"], seen["port"]) == ("127.0.0.1", 0)
    assert (limits.answers, limits.body, limits.waiting, limits.seconds) == (3, 2**21, 8, 60.0)


def test_another_host_needs_a_key(monkeypatch):
    monkeypatch.delenv("RAGASSAY_API_KEY", raising=False)
    with pytest.raises(ParameterError, match=r"without a key(?s:.*)0\.0\.0\.0"):
        call("--host", "0.0.0.0")


def test_a_folder_without_calibration_is_refused(tmp_path):
    for content in (None, "{}", "[1]", '{"calibrator": {}, "q_hat": null}'):
        if content:
            (tmp_path / "model.json").write_text(content)
        with pytest.raises(InputError, match="no calibration"):
            call("--calibration", str(tmp_path))


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.delattr(ragassay, "serve")
    monkeypatch.delitem(sys.modules, "ragassay.serve")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(KitError, match=r"uvicorn is not installed(?s:.*)\[serve\]"):
        call()
