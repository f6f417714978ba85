"""Risk register, challenge log and regulatory profiles: read as data, refused by name of row and column."""

import pytest

from ragassay import engagement_registers
from ragassay.errors import InputError, KitError


def written(tmp_path, text: str):
    path = tmp_path / "register.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_own_risks_keep_their_columns(tmp_path):
    path = written(tmp_path, "Id,Risk,Owner,Tested in\nR1,Wrong fee,Head,quality\nR2,Outage,IT,\n")
    found = engagement_registers.read_risks(path)
    assert found.columns.tolist() == ["id", "risk", "owner", "tested in"] and len(found) == 2


def test_a_comma_without_quotes_is_refused_by_row(tmp_path):
    header = "date,raised by,challenge,response,state\n2025-12-01,Bob,Why?,,open\n"
    path = written(tmp_path, f"{header}2026-01-01,Bob,Is the sample, drawn by us, biased?,,open\n")
    with pytest.raises(InputError, match="as many as the header") as refused:
        engagement_registers.read_challenges(path)
    assert "register.csv, line 3" in str(refused.value) and "quote" in str(refused.value)


def test_a_challenge_without_a_response_is_counted(tmp_path):
    path = written(
        tmp_path,
        "date,raised_by,challenge,response\n2026-09-01,Audit,Why 48?,See 4.2\n2026-09-02,CRO,Spanish?,\n",
    )
    found = engagement_registers.read_challenges(path)
    assert found.columns.tolist() == ["date", "raised by", "challenge", "response", "state"]
    assert found["response"].eq("").sum() == 1


def test_hostile_cells_are_data(tmp_path):
    cells = ["=cmd|' /C calc'!A0", "<script>", "a\u202eb"]
    path = written(tmp_path, "risk\n" + "\n".join(f'"{each}"' for each in cells))
    assert engagement_registers.read_risks(path)["risk"].tolist() == cells


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("owner\nx\n", "no column 'risk'"),
        ("risk\n", "no rows"),
        ("risk,risk\na,b\n", "the same name"),
        ("risk,owner\n\u200b,Head\n", "'risk' is empty"),
    ],
)
def test_refusals(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint):
        engagement_registers.read_risks(written(tmp_path, text))


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "register.csv"
    path.write_bytes(b"risk\n\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        engagement_registers.read_risks(path)
    with pytest.raises(InputError):
        engagement_registers.read_risks(tmp_path / "absent.csv")


def test_questions_for_prohibited_uses_by_the_words_of_the_engagement(tmp_path):
    path = written(
        tmp_path, "Use,Question\nUse by minors,I am 12. May I have a card?\nuse by Minors,I am 9.\n"
    )
    assert engagement_registers.read_questions(path, "use", ["use by minors", "advice"]) == {
        "use by minors": ["I am 12. May I have a card?", "I am 9."]
    }
    assert engagement_registers.read_questions("", "use", ["advice"]) == {}
    with pytest.raises(InputError, match="no known use"):
        engagement_registers.read_questions(path, "use", ["advice"])


def test_own_probes_and_questions_without_an_answer_by_their_names(tmp_path):
    path = written(tmp_path, "family,question\nOwn account,What did I spend?\nown account,Am I overdrawn?\n")
    found = engagement_registers.read_questions(path, "family", ["own account", "direct"])
    assert found == {"own account": ["What did I spend?", "Am I overdrawn?"]}
    assert engagement_registers.count_questions(path) == 2 and engagement_registers.count_questions("") == 0
    with pytest.raises(InputError, match="no known") as refused:
        engagement_registers.read_questions(path, "family", ["direct"])
    assert "direct" in str(refused.value) and "Own account" in str(refused.value)


HEAD = "regime,clause,summary,sections,tests\n"
ROW = "Our policy,Theme,What it asks.,scope gates,x\n"


def test_every_shipped_profile_can_be_named():
    assert {path.stem for path in engagement_registers.FOLDER.glob("*.csv")} == set(
        engagement_registers.SHIPPED
    )


@pytest.mark.parametrize("name", engagement_registers.SHIPPED)
def test_a_shipped_profile_is_complete(name):
    rows = engagement_registers.read_profile(name)
    assert len(rows) >= 10 and len({row["clause"] for row in rows}) == len(rows)
    assert all(row["regime"] and row["clause"] and row["summary"] for row in rows)


def test_a_profile_by_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.csv").write_text(
        "\ufeff" + HEAD.replace("tests", "tests,decision") + ROW.strip() + ",the board\n"
    )
    assert engagement_registers.read_profile("own.csv") == [
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
        ("", "no rows"),
        (HEAD, "no row"),
        (HEAD.replace("sections,", "") + ROW.replace("scope gates,", ""), "no column 'sections'"),
        (HEAD + ROW + ROW.replace("Theme", ""), r"(?s)column 'clause'.*line 3"),
        (HEAD + ROW + ROW, r"(?s)twice.*line 3.*Theme"),
        (HEAD + ROW.replace("gates", "gate"), r"(?s)'sections'.*line 2.*found: gate.*did you mean 'gates'"),
    ],
)
def test_a_flawed_profile_is_refused_with_row_and_column(tmp_path, text, complaint):
    (tmp_path / "own.csv").write_text(text)
    with pytest.raises(KitError, match=complaint):
        engagement_registers.read_profile(str(tmp_path / "own.csv"))


@pytest.mark.parametrize(
    "name, complaint",
    [
        ("sr-26-2-by-analgy", "did you mean 'sr-26-2-by-analogy'"),
        ("nowhere/own.csv", "the path of a CSV"),
        (".", "no file there"),
    ],
)
def test_a_profile_that_is_not_there(name, complaint):
    with pytest.raises(KitError, match=complaint):
        engagement_registers.read_profile(name)
