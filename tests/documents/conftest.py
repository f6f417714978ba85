"""A folder to put documents into."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path) -> Path:
    """An empty folder for documents."""
    (tmp_path / "documents").mkdir()
    return tmp_path / "documents"
