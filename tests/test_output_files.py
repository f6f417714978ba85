"""Where results may go: inputs are never written over, files that are there only if asked, drafts never left."""

import errno
import os

import pytest

from ragassay import output_files
from ragassay.errors import OutputError, ParameterError


def link(path, name):
    path.with_name(name).symlink_to(path)
    return path.with_name(name)


def hard_link(path, name):
    os.link(path, path.with_name(name))
    return path.with_name(name)


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.jsonl").write_text("{}\n")
    return tmp_path / "log.jsonl"


OTHER_NAMES = {
    "itself": lambda log: log,
    "roundabout": lambda log: log.parent / "folder" / ".." / "log.jsonl",
    "a link": lambda log: link(log, "other.jsonl"),
    "a hard link": lambda log: hard_link(log, "other.jsonl"),
}


@pytest.mark.parametrize("name", OTHER_NAMES)
@pytest.mark.parametrize("replace", [False, True])
def test_an_input_is_never_written_over_by_any_name(log, name, replace):
    (log.parent / "folder").mkdir()
    with pytest.raises(ParameterError, match="over an input"):
        output_files.check(OTHER_NAMES[name](log), inputs=[None, log], replace=replace)


def test_a_file_in_a_folder_that_is_read_is_an_input(log):
    with pytest.raises(ParameterError, match="over an input"):
        output_files.check(log, inputs=[log.parent], replace=True)
    output_files.check(log.with_name("new.jsonl"), inputs=[log.parent])


def test_what_is_there_is_replaced_only_if_asked(log, tmp_path):
    (tmp_path / "dangling").symlink_to("nowhere")
    for path in (log, tmp_path / "dangling"):
        with pytest.raises(ParameterError, match="--replace"):
            output_files.check(path)
    output_files.check(log, replace=True)


def test_a_folder_a_device_and_one_name_twice_are_refused(log, tmp_path):
    for path in (tmp_path, "/dev/null"):
        with pytest.raises(ParameterError, match="a file is wanted"):
            output_files.check(path, replace=True)
    with pytest.raises(ParameterError, match="one file"):
        output_files.check(tmp_path / "a", None, tmp_path / "b" / ".." / "a")


def test_a_place_below_a_file_is_refused(log):
    with pytest.raises(ParameterError, match="is no folder"):
        output_files.check(log / "deeper" / "a.csv")


def test_a_place_without_permission_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ParameterError, match="may not write"):
        output_files.check(tmp_path / "a.csv")


def test_a_draft_arrives_whole_with_its_folder(tmp_path):
    output_files.write_text(tmp_path / "new" / "a.txt", "é\n")
    output_files.write_bytes(tmp_path / "new" / "b", b"x")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.txt", "b"]


@pytest.mark.parametrize("code, words", [(errno.ENOSPC, "disk is full"), (errno.EACCES, "cannot be written")])
def test_a_draft_that_fails_is_removed_and_the_place_named(tmp_path, code, words):
    place = tmp_path / "a.csv"
    place.write_text("old")
    with (
        pytest.raises(OutputError, match=words) as found,
        output_files.draft(place) as draft,
        output_files.refusals(place),
    ):
        draft.write_text("half")
        raise OSError(code, os.strerror(code))
    assert found.value.where == place and place.read_text() == "old" and len(list(tmp_path.iterdir())) == 1
