"""Scores on disk: whole or not at all, read back as they were."""

import pandas as pd
import pytest
from fake_scores import rows

from ragassay.api.score_files import COLUMNS, KINDS, batches, check_path, write
from ragassay.errors import InputError, ParameterError

TABLE = rows("groundedness", [0.1, None, 1 / 3]).assign(
    case_id=["01", "NA", "é\n,;\"'"], detail='[{"text": "a, \\"b\\"\\n"}]'
)


def read(path) -> pd.DataFrame:
    return pd.concat(list(batches(path)), ignore_index=True)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read(tmp_path, kind):
    write([TABLE, TABLE.iloc[:1]], tmp_path / f"s{kind}")
    found = read(tmp_path / f"s{kind}")
    expected = pd.concat([TABLE, TABLE.iloc[:1]], ignore_index=True)[list(COLUMNS)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert [path.name for path in tmp_path.iterdir()] == [f"s{kind}"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_fails_leaves_the_old_file_and_no_draft(tmp_path, kind):
    path = tmp_path / f"s{kind}"
    path.write_bytes(b"old")

    def failing():
        yield TABLE
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(failing(), path)
    assert path.read_bytes() == b"old" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_no_batch_is_a_table_without_rows(tmp_path, kind):
    write([], tmp_path / f"s{kind}")
    assert sum(len(part) for part in batches(tmp_path / f"s{kind}")) == 0


@pytest.mark.parametrize(
    "name, words", [("s.txt", "ending in"), ("none/s.parquet", "that is there"), ("s", "ending in")]
)
def test_a_place_that_cannot_hold_scores_is_refused(tmp_path, name, words):
    with pytest.raises(ParameterError, match=words):
        check_path(tmp_path / name)


def test_a_file_that_is_gone_is_told(tmp_path):
    with pytest.raises(InputError, match="score again"):
        list(batches(tmp_path / "s.parquet"))
