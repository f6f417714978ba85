"""A database of a run: servers only where the seal lets the run go, and never with a password in the parameters."""

from pathlib import Path

import pytest

from ragassay.errors import ParameterError
from ragassay.run import databases


def check(url, *allow):
    databases.check(Path("bank.yml"), {"01_test_generation": {"database": url}}, allow)


@pytest.mark.parametrize(("url", "allow"), [
    ("", ()), ("bank.db", ()), ("sqlite:///bank.db", ()), ("postgresql+psycopg://ann@db.bank/facts", ("db.bank:5432",)),
    ("postgresql://ann@db.bank:6000/facts", ("db.bank",)),
])  # fmt: skip
def test_what_may_be_asked(url, allow):
    check(url, *allow)


@pytest.mark.parametrize(("url", "allow", "words"), [
    ("postgresql+psycopg://ann@db.bank/facts", (), "nothing is allowed"),
    ("postgresql+psycopg://ann@db.bank/facts", ("other:1",), "db.bank:5432"),
    ("postgresql+psycopg:///facts", ("other:1",), "localhost:5432"),
    ("postgresql://ann:secret@db.bank/facts", ("db.bank:5432",), "password"),
])  # fmt: skip
def test_what_is_refused_before_anything_runs(url, allow, words):
    with pytest.raises(ParameterError, match=words) as refusal:
        check(url, *allow)
    assert "secret" not in str(refusal.value)
