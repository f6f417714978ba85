"""Profiles: those shipped are whole; a bank's own is refused with row and column before anything runs."""

import pytest

from ragassay import regulatory_profiles
from ragassay.errors import KitError, ParameterError

HEAD = "regime,clause,summary,sections,tests\n"
ROW = "Our policy,Theme,What it asks.,scope gates,x\n"


def test_every_shipped_profile_can_be_named():
    assert {path.stem for path in regulatory_profiles.FOLDER.glob("*.csv")} == set(
        regulatory_profiles.SHIPPED
    )


@pytest.mark.parametrize("name", regulatory_profiles.SHIPPED)
def test_a_shipped_profile_is_complete(name):
    rows = regulatory_profiles.read(name)
    assert len(rows) >= 10 and len({row["clause"] for row in rows}) == len(rows)
    assert all(row["regime"] and row["clause"] and row["summary"] for row in rows)


def test_a_profile_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text(
        "\ufeff" + HEAD.replace("tests", "tests,decision") + ROW.strip() + ",the board\n"
    )
    assert regulatory_profiles.read("own.csv") == [
        {
            "regime": "Our policy",
            "clause": "Theme",
            "summary": "What it asks.",
            "sections": "scope gates",
            "tests": "x",
            "decision": "the board",
            "critical": "",
        }
    ]


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "no column 'regime'"),
        (HEAD, "no row"),
        (HEAD.replace("sections,", "") + ROW, "no column 'sections'"),
        (HEAD + ROW + ROW.replace("Theme", ""), r"(?s)column 'clause'.*row 3"),
        (HEAD + ROW + ROW, r"(?s)twice.*row 3.*Theme"),
        (HEAD + ROW.replace("gates", "gate"), r"(?s)'sections'.*row 2.*found: gate.*did you mean 'gates'"),
    ],
)
def test_a_flawed_profile_is_refused_with_row_and_column(tmp_path, text, complaint):
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(KitError, match=complaint):
        regulatory_profiles.read(str(tmp_path / "own.csv"))


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("sr-26-2-by-analgy", "did you mean 'sr-26-2-by-analogy'"),
        ("nowhere/own.csv", "the path of a CSV"),
        (".", "folder"),
    ],
)
def test_a_profile_that_is_not_there(name, complaint):
    with pytest.raises(ParameterError, match=complaint):
        regulatory_profiles.read(name)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "own.csv").write_bytes(b"\xff\xfe\x00regime")
    with pytest.raises(KitError, match="UTF-8"):
        regulatory_profiles.read(str(tmp_path / "own.csv"))
