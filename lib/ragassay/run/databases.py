"""A database within a run: permitted, and without a secret, before anything runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragassay.errors import ParameterError
from ragassay.run import seal

DATABASE = "database"  # parameter of a notebook that may ask one
PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}


def check(path: Path, notebooks: Mapping[str, Mapping[str, Any]], allow: Sequence[str]) -> None:
    """Refuse an engagement whose database server the sealed run may not reach, or whose URL holds a password; files pass.

    Drivers connect in their own code, where no hook of Python sees them: hence before the run. Parameters as in `judges.check`.

    Raises
    ------
    ParameterError
        With the notebook's parameter, and what to write.
    """
    for name, values in notebooks.items():
        given = str(values.get(DATABASE) or "")
        parts = urlsplit(given)
        kind = parts.scheme.split("+")[0]
        if "://" not in given or kind == "sqlite":
            continue
        where = f"{path}, {name}.{DATABASE}"
        if parts.password:
            do = "leave it out and give it to the driver by its environment, such as PGPASSWORD"
            raise ParameterError(
                "a password stands in the parameters, which the report prints; nothing was run",
                where=where,
                do=do,
            )
        host = f"{parts.hostname or 'localhost'}:{parts.port or PORTS.get(kind, 0)}"
        if not seal.permits(allow, host):
            expected, do = (
                ", ".join(allow) or "nothing is allowed",
                f"permit it in the section run: allow: ['{host}']",
            )
            raise ParameterError(
                "the sealed run may not reach the database, nothing was run",
                where=where,
                found=host,
                expected=expected,
                do=do,
            )
