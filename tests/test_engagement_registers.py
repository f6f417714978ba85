"""The engagement's own risk register and challenge log: read as data, refused by name of row and column."""

import csv

import pytest

from ragassay import engagement_registers
from ragassay.errors import InputError


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
    with pytest.raises(InputError, match="more cells than the header") as refused:
        engagement_registers.read_challenges(path)
    assert "register.csv, row 3" in str(refused.value) and "quote" in str(refused.value)


def test_a_challenge_without_a_response_is_counted(tmp_path):
    path = written(
        tmp_path,
        "date,raised_by,challenge,response\n2026-09-01,Audit,Why 48?,See 4.2\n2026-09-02,CRO,Spanish?,\n",
    )
    found = engagement_registers.read_challenges(path)
    assert found.columns.tolist() == ["date", "raised by", "challenge", "response", "state"]
    assert found["response"].eq("").sum() == 1


@pytest.fixture(params=[131_072, 2**27])
def field_limit(request):
    """The limit of the csv module is one for the process; reading a log lifts it."""
    before = csv.field_size_limit(request.param)
    yield
    csv.field_size_limit(before)


def test_hostile_cells_are_data(tmp_path, field_limit):
    cells = ["=cmd|' /C calc'!A0", "<script>", "a\u202eb", "x" * 1_000_000]
    path = written(tmp_path, "risk\n" + "\n".join(f'"{each}"' for each in cells))
    with pytest.raises(InputError, match="cannot be read"):
        engagement_registers.read_risks(path)
    path = written(tmp_path, "risk\n" + "\n".join(f'"{each}"' for each in cells[:3]))
    assert engagement_registers.read_risks(path)["risk"].tolist() == cells[:3]


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "no column 'risk'"),
        ("risk\n", "no rows"),
        ("risk,risk\na,b\n", "do not fit"),
        ("risk,owner\n\u200b,Head\n", "'risk' is empty"),
    ],
)
def test_refusals(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint):
        engagement_registers.read_risks(written(tmp_path, text))


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "register.csv"
    path.write_bytes(b"risk\n\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
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
