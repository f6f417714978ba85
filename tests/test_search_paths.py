"""Where files are looked for: the folder one works in, the project, the engagement's own folder; nowhere else."""

import os

import pytest

from assistants.in_this_process import load_system
from ragassay import provenance, search_paths
from ragassay.errors import InputError, ParameterError, SystemUnderTestError
from ragassay.run import engagement, run


@pytest.fixture
def below(tmp_path, monkeypatch):
    """A working folder two below one in which somebody planted files."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_scope.ipynb").write_text("planted")
    (tmp_path / "helper.py").write_text(
        "import pathlib\npathlib.Path('planted').touch()\ndef ask(question): return ''"
    )
    (tmp_path / "documents").mkdir()
    work = tmp_path / "a" / "work"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    return work


def test_an_assistant_of_a_parent_is_not_executed(below):
    with pytest.raises(SystemUnderTestError, match="does not exist"):
        load_system("helper.py:ask")
    assert not (below / "planted").exists()


def test_inputs_and_run_folders_of_a_parent_are_not_taken(below):
    with pytest.raises(InputError, match="does not exist"):
        provenance.source("documents")
    assert provenance.find("documents") == below / "documents" and provenance.located("documents") is None


def test_a_notebook_opened_in_the_project_or_in_a_run_works_on_the_project(tmp_path, monkeypatch):
    (tmp_path / "documents").mkdir()
    run_dir = tmp_path / "reports" / "bank"
    for folder in (tmp_path / "notebooks", run_dir / "notebooks"):
        folder.mkdir(parents=True)
    (run_dir / "manifest.json").write_text("{}")
    for folder in (tmp_path, tmp_path / "notebooks", run_dir / "notebooks"):
        monkeypatch.chdir(folder)
        assert (search_paths.project(), provenance.find("reports/bank")) == (tmp_path, run_dir)
        assert provenance.source("documents") == tmp_path / "documents"


def test_the_engagements_own_folder_comes_last(tmp_path, monkeypatch):
    own, work = tmp_path / "own", tmp_path / "work"
    for folder in (own / "params", own / "reports", own / "labels", own / "documents", work / "documents"):
        folder.mkdir(parents=True)
    monkeypatch.chdir(work)
    with search_paths.pinned(work, search_paths.own_folder(own / "params" / "x.yml")):
        monkeypatch.chdir(tmp_path)  # as a notebook's code may do
        assert provenance.source("documents") == work / "documents"
        assert provenance.source("labels") == own / "labels"
        assert provenance.find("reports") == work / "reports"  # no run is written or read there
        assert search_paths.folders() == [work, own]
    assert search_paths.folders() == [tmp_path] and search_paths.ROOT not in os.environ


@pytest.mark.parametrize(
    "folder, recorded, project",
    [
        ("p/reports/bank", "reports/bank", "p"),
        ("p/reports/copy", "reports/bank", "p"),
        ("archive/of/bank", "/somewhere/else/bank", "archive"),
        ("p/reports/bank", "", "p"),
    ],
)
def test_a_run_folder_belongs_to_the_project_it_was_made_in(tmp_path, folder, recorded, project):
    (tmp_path / folder).mkdir(parents=True)
    assert search_paths.of_run_folder(tmp_path / folder, recorded) == tmp_path / project


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/hostname", "/dev/zero", "", ".", None, 3, "a\0b", "out/hosts", "pipe"]
)
def test_a_file_of_a_run_folder_stays_in_it(tmp_path, name):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "out").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    with pytest.raises(InputError):
        search_paths.file_below(folder, name)


def test_files_of_a_run_folder_may_have_any_plain_name(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "run").symlink_to("real")
    for name in ("tables/x.parquet", "..a/b..", "résumé 1.svg", ".state/x.json"):
        assert search_paths.file_below(tmp_path / "run", name) == tmp_path / "run" / name


@pytest.mark.parametrize("file", ["...yml", ".hidden.yml", "a b.yml", "-x.yml"])
def test_an_engagements_name_is_a_plain_name(tmp_path, monkeypatch, file):
    """`...yml` has the stem `..`: its run would be written beside `reports`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text("")
    with pytest.raises(ParameterError, match="no name for a file"):
        run(tmp_path / file)
    with pytest.raises(ParameterError, match="no name for a file"):
        engagement.load(tmp_path / file, {})
    assert [path.name for path in tmp_path.iterdir()] == [file]
