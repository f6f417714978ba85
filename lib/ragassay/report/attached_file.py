"""A file that travels with the report."""

from dataclasses import dataclass
from pathlib import PurePosixPath

MOST_INSIDE = 2_000_000  # bytes of one file that the PDF holds


@dataclass(frozen=True)
class Attached:
    """A file that travels with the report: its name below `attachments/`, its bytes, what it holds."""

    name: str
    data: bytes
    about: str

    @property
    def is_inside(self) -> bool:
        """Whether the PDF holds it; a large one is only named there, with its hash."""
        return len(self.data) <= MOST_INSIDE


def csv_name(path: str) -> str:
    """The attached file that holds the table `tables/<name>.parquet` of the run."""
    return f"{PurePosixPath(path).stem}.csv"
