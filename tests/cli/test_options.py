"""A path that is none: an unset variable of a shell, the root alone, bytes that no file system holds."""

from pathlib import Path

import pytest

from ragassay.cli.options import PATH
from ragassay.errors import ParameterError


@pytest.mark.parametrize("given", ["", "/", "a\0b", "x" * 300])
def test_what_is_no_path_is_refused(given):
    with pytest.raises(ParameterError, match="no name of a file"):
        PATH.convert(given, None, None)


def test_a_path_is_taken():
    assert PATH.convert("a/b.csv", None, None) == Path("a/b.csv") and PATH.convert(".", None, None) == Path()
