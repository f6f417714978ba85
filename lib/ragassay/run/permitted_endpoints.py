"""What a sealed run may reach, a language model as judge and a database: permitted before anything runs, and
what it took."""

import ipaddress
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragassay import network_seal
from ragassay.errors import ParameterError
from ragassay.models.judge import Spent, make_judge

JUDGE, JUDGE_MODEL = "judge", "judge_model"  # parameters of a notebook that may ask a judge
DATABASE = "database"  # parameter of a notebook that may ask one
_ENDPOINT = re.compile(
    r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|[A-Za-z0-9][A-Za-z0-9._-]{0,252})(?::(?P<port>\d{1,5}))?"
)
PORTS = {"postgresql": 5432, "mysql": 3306, "mariadb": 3306, "mssql": 1433, "oracle": 1521}


def check(path: Path, notebooks: Mapping[str, Mapping[str, Any]], allow: Sequence[str]) -> None:
    """Refuse an engagement whose judge or database could not be asked; one that names neither passes.

    Parameters
    ----------
    path : the engagement's YAML
    notebooks : notebook name -> its departures from the defaults
    allow : endpoints that the sealed run may reach

    Raises
    ------
    ModelError
        If the judge's endpoint is no address, holds a secret, or only one of endpoint and model is named.
    ParameterError
        If the sealed run may not reach it, or a database's URL holds a password.
    """
    for name, values in notebooks.items():
        _check_judge(f"{path}, {name}.{JUDGE}", values, allow)
        _check_database(f"{path}, {name}.{DATABASE}", str(values.get(DATABASE) or ""), allow)


def is_endpoint(entry: str) -> bool:
    """Whether it reads `host`, `host:port`, an IPv6 address, or `[IPv6 address]:port`."""
    found = _ENDPOINT.fullmatch(entry.strip())
    address = entry.strip() if found is None else found["address"]
    try:
        ipaddress.IPv6Address("::1" if address is None else address)
    except ValueError:
        return False
    return found is None or 1 <= int(found["port"] or 1) <= 65535


def judges_used(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a trace's entries: what each judge took, the last count of each endpoint and model."""
    last = {(entry["endpoint"], entry["model"]): entry for entry in entries if entry["event"] == "judge"}
    return list(last.values())


def judge_in_words(entry: Mapping[str, Any]) -> str:
    """What one judge took, in a line."""
    spent = Spent(**{name: entry[name] for name in Spent.__dataclass_fields__})
    return f"judge {entry['model']} at {entry['endpoint']}: {spent}"


def _check_judge(where: str, values: Mapping[str, Any], allow: Sequence[str]) -> None:
    judge = make_judge(values.get(JUDGE) or "", values.get(JUDGE_MODEL) or "")
    if judge is None:
        return
    _check_permitted("judge's endpoint", where, judge.host, allow)


def _check_database(where: str, url: str, allow: Sequence[str]) -> None:
    """Files pass. Drivers connect in their own code, where no hook of Python sees them: hence before the
    run."""
    parts = urlsplit(url)
    kind = parts.scheme.split("+")[0]
    if "://" not in url or kind == "sqlite":
        return
    if parts.password:
        what = "a password stands in the parameters, which the report prints"
        do = "leave it out: the driver reads its environment, such as PGPASSWORD"
        raise ParameterError(what, where=where, do=do)
    host = f"{parts.hostname or 'localhost'}:{parts.port or PORTS.get(kind, 0)}"
    _check_permitted("database", where, host, allow)


def _check_permitted(what: str, where: str, host: str, allow: Sequence[str]) -> None:
    if not network_seal.permits(allow, host):
        raise ParameterError(
            f"the sealed run may not reach the {what}, nothing was run",
            where=where,
            found=host,
            expected=", ".join(allow) or "nothing is allowed",
            do=f"permit it in the section run: allow: ['{host}']",
        )
