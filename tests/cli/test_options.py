"""Paths that are none; what reaches the terminal: nothing of a stranger's acts there, and what stops a verb is told in five parts."""

import errno
import os
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from ragassay.cli import cli, options
from ragassay.cli.options import PATH
from ragassay.errors import InputError, KitError

HOSTILE = "\x1b[31mred\x1b]0;title\x07\x08\x9b2J\u202eevil\u2066\u200b\x00"
ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
DETAILS = re.compile(r"\S*ragassay-error-\S+\.txt")


def ended(work, capsys):
    """How the work ends: exit code, what is said."""
    try:
        options.ending(work)
        code = 0
    except SystemExit as leaving:
        code = leaving.code
    said = capsys.readouterr()
    assert not ACTS.search(said.out + said.err) and "Traceback" not in said.out + said.err
    return code, said.out + said.err


def raising(problem):
    def work():
        raise problem

    return work


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)


class Panic(BaseException):
    """What a library in another language raises: no Exception."""


UNFORESEEN = [KeyError(HOSTILE), RecursionError("too deep"), MemoryError(), Panic("panicked"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")]  # fmt: skip


@pytest.mark.parametrize("problem", UNFORESEEN, ids=lambda each: type(each).__name__)
def test_a_defect_is_told_and_its_details_are_kept(problem, capsys):
    code, said = ended(raising(problem), capsys)
    details = DETAILS.search(said)
    assert code == 1 and all(part in said for part in ("where:", "found:", "do:")) and details
    assert "Traceback" in Path(details[0]).read_text() and Path(details[0]).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("code, words", [(errno.EACCES, "ermission"), (errno.EIO, "refused"), (errno.ENOSPC, "disk is full")])  # fmt: skip
@pytest.mark.parametrize("name", ["reports/x.json", None])
def test_what_the_system_refuses_is_told_with_a_place(code, words, name, capsys):
    found, said = ended(raising(OSError(code, os.strerror(code), name)), capsys)
    assert found == 1 and words in said and "do:" in said and "None" not in said
    assert (name in said) if name else DETAILS.search(said)


@pytest.mark.parametrize("problem", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_is_told(problem, capsys):
    assert "same command" in ended(raising(problem), capsys)[1]


def test_a_problem_told_by_us_shows_nothing_that_acts(capsys):
    code, said = ended(
        raising(InputError(HOSTILE, where=HOSTILE, found=f"a\nragassay: {HOSTILE}", do=HOSTILE)), capsys
    )
    assert code == 1 and "␛[31m" in said and said.count("\nragassay: ") == 1


def test_what_a_verb_says_is_plain(capsys):
    options.say(HOSTILE)
    options.say("\udcff", err=True)
    said = capsys.readouterr()
    assert not ACTS.search(said.out + said.err) and "⟨U+202E⟩" in said.out


def test_what_has_no_end_is_refused(tmp_path):
    (tmp_path / "labels.csv").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("labels.csv", "pipe.csv"):
        with pytest.raises(InputError, match="no regular file"):
            PATH.convert(str(tmp_path / name), None, None)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert PATH.convert(str(tmp_path / "loop.csv"), None, None) == tmp_path / "loop.csv"


@pytest.mark.parametrize(
    "words", ["init lone\udc80", "score \udc80.jsonl", "label plan --n \udc80", "report \udc80"]
)
def test_bytes_that_are_no_text_are_told(words):
    assert isinstance(CliRunner().invoke(cli, words.split(" ")).exception, KitError)
