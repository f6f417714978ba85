"""Replies that were paid for, in one SQLite file, each written as soon as it came: a killed run pays for nothing twice."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragassay.errors import ModelError
from ragassay.models.judge.request import Reply

VARIABLES = 500  # SQLite's limit on bound values per statement is 999 in old builds


class Journal:
    """Replies by key. Only replies that arrived whole are kept: what failed is asked again the next time."""

    def __init__(self, path: Path):
        self.path = Path(path)

    def find(self, keys: Iterable[str]) -> dict[str, Reply]:
        """The replies kept under these keys; an absent key is left out.

        Raises
        ------
        ModelError
            If the file is damaged or cannot be written: nothing must be paid for that cannot be kept.
        """
        wanted, found = list(keys), dict[str, Reply]()
        with self._open() as connection:
            for start in range(0, len(wanted), VARIABLES):
                part = wanted[start : start + VARIABLES]
                rows = connection.execute(
                    f"SELECT key, reply FROM replies WHERE key IN ({','.join('?' * len(part))})", part
                )
                found.update((key, Reply.of_json(reply)) for key, reply in rows)
        return found

    def keep(self, key: str, reply: Reply) -> None:
        """Keep a reply; the first one kept under a key stays."""
        with self._open() as connection:
            connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, reply.as_json()))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        connection = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=60)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"
            )
            connection.execute(
                "BEGIN IMMEDIATE"
            )  # fails here, before anything is paid for, where the file cannot be written
            with connection:
                yield connection
        except (sqlite3.Error, OSError, ValueError, TypeError) as problem:
            raise ModelError(
                "the journal of the judge cannot be used",
                where=self.path,
                found=problem,
                do="make the folder writable; a damaged file set aside means that its replies will be paid for again",
            ) from problem
        finally:
            if connection is not None:
                connection.close()
