"""What a sealed run may reach, a language model as judge and a database: permitted before anything runs."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragassay import network_seal
from ragassay.errors import ParameterError
from ragassay.models.judge import make_judge

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
        judge = make_judge(values.get("judge") or "", values.get("judge_model") or "")
        hosts = {"judge": judge.host} if judge else {}
        urls = {"database": str(values.get("database") or "")}
        for parameter, url in urls.items():
            hosts |= {parameter: _database_host(f"{path}, {name}.{parameter}", url)} if "://" in url else {}
        for parameter, host in hosts.items():
            if host and not network_seal.permits(allow, host):
                raise ParameterError(
                    f"the sealed run may not reach what {parameter} names, nothing was run",
                    where=f"{path}, {name}.{parameter}",
                    found=host,
                    expected=", ".join(allow) or "nothing is allowed",
                    do=f"permit it in the section run: allow: ['{host}']",
                )


def is_endpoint(entry: str) -> bool:
    """Whether it reads `host`, `host:port`, an IPv6 address, or `[IPv6 address]:port`."""
    found = _ENDPOINT.fullmatch(entry.strip())
    address = entry.strip() if found is None else found["address"]
    try:
        ipaddress.IPv6Address("::1" if address is None else address)
    except ValueError:
        return False
    return found is None or 1 <= int(found["port"] or 1) <= 65535


def _database_host(where: str, url: str) -> str:
    """Host and port of a database, "" of a file. Drivers connect in their own code, where no hook of Python
    sees them: hence before the run."""
    parts = urlsplit(url)
    kind = parts.scheme.split("+")[0]
    if parts.password:
        what = "a password stands in the parameters, which the report prints"
        do = "leave it out: the driver reads its environment, such as PGPASSWORD"
        raise ParameterError(what, where=where, do=do)
    return "" if kind == "sqlite" else f"{parts.hostname or 'localhost'}:{parts.port or PORTS.get(kind, 0)}"
