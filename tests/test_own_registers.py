"""The engagement's own risk register and challenge log: read as data, refused by name of row and column."""

import pytest

from ragassay import own_registers
from ragassay.errors import InputError


def written(tmp_path, text: str):
    path = tmp_path / "register.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_own_risks_keep_their_columns_and_name_what_nothing_tests(tmp_path):
    path = written(tmp_path, "Id,Risk,Owner,Tested in\nR1,Wrong fee,Head,quality\nR2,Outage,IT,\n")
    found = own_registers.read_risks(path)
    assert found.columns.tolist() == ["id", "risk", "owner", "tested in"] and len(found) == 2
    assert own_registers.untested(found) == ["Not tested, own risk: Outage."]
    assert own_registers.untested(found.drop(columns="tested in")) == []


def test_a_challenge_without_a_response_is_counted(tmp_path):
    path = written(
        tmp_path,
        "date,raised_by,challenge,response\n2026-09-01,Audit,Why 48?,See 4.2\n2026-09-02,CRO,Spanish?,\n",
    )
    found = own_registers.read_challenges(path)
    assert found.columns.tolist() == ["date", "raised by", "challenge", "response", "state"]
    assert own_registers.unanswered(found) == 1


def test_none_given_is_no_row():
    assert len(own_registers.read_risks("")) == 0 and len(own_registers.read_challenges("")) == 0
    assert own_registers.untested(own_registers.read_risks("")) == []


def test_hostile_cells_are_data(tmp_path):
    cells = ["=cmd|' /C calc'!A0", "<script>", "a\u202eb", "x" * 1_000_000]
    path = written(tmp_path, "risk\n" + "\n".join(f'"{each}"' for each in cells))
    if len(cells[-1]) > 131_072:  # the csv module's limit: refused in words, never a crash
        with pytest.raises(InputError, match="cannot be read"):
            own_registers.read_risks(path)
    path = written(tmp_path, "risk\n" + "\n".join(f'"{each}"' for each in cells[:3]))
    assert own_registers.read_risks(path)["risk"].tolist() == cells[:3]


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("", "no column 'risk'"),
        ("risk\n", "no rows"),
        ("risk,owner\n,Head\n", "'risk' is empty"),
        ("risk,risk\na,b\n", "do not fit"),
        ("name\nx\n", "no column 'risk'"),
    ],
)
def test_refusals(tmp_path, text, complaint):
    with pytest.raises(InputError, match=complaint):
        own_registers.read_risks(written(tmp_path, text))


def test_a_file_that_is_no_text(tmp_path):
    path = tmp_path / "register.csv"
    path.write_bytes(b"risk\n\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        own_registers.read_risks(path)
    with pytest.raises(InputError):
        own_registers.read_risks(tmp_path / "absent.csv")
