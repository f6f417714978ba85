"""A path that is none: an unset variable of a shell, the root alone, bytes that no file system holds."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragassay.cli import cli
from ragassay.cli.options import PATH
from ragassay.errors import InputError, ParameterError


@pytest.mark.parametrize("given", ["", "/", "a\0b", "x" * 300])
def test_what_is_no_path_is_refused(given):
    with pytest.raises(ParameterError, match="no name of a file"):
        PATH.convert(given, None, None)


def test_what_has_no_end_is_refused(tmp_path):
    (tmp_path / "labels.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("labels.csv", "pipe.csv"):
        with pytest.raises(InputError, match="no regular file"):
            PATH.convert(str(tmp_path / name), None, None)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert PATH.convert(str(tmp_path / "loop.csv"), None, None) == tmp_path / "loop.csv"


def test_a_path_is_taken():
    assert PATH.convert("a/b.csv", None, None) == Path("a/b.csv") and PATH.convert(".", None, None) == Path()


def test_bytes_that_are_no_text_are_refused():
    refused = CliRunner().invoke(cli, ["init", "lone \udc80"]).exception
    assert isinstance(refused, ParameterError) and "no text in UTF-8" in str(refused)
