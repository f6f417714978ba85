"""Which hosts an endpoint's client contacts: the endpoint's own, or the proxy that the environment names.

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are read once; the client and the seal are told the same.
"""

import urllib.request
from urllib.parse import urlsplit

from ragassay.assistant.described.description import Description
from ragassay.web.addresses import host_and_port, is_address


def proxy_for(url: str) -> str | None:
    """The proxy's address that the environment names for this one; None if it names none, or NO_PROXY
    excepts the host.

    Raises
    ------
    ValueError
        If it is no http or https address.
    """
    parts, named = urlsplit(url), urllib.request.getproxies_environment()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy or _is_excepted(host_and_port(url), named):
        return None
    whole = proxy if "://" in proxy else f"http://{proxy}"
    if not is_address(whole):
        raise ValueError(f"the proxy that the environment names for {parts.scheme} is no http address")
    return whole


def _is_excepted(host: str, named: dict[str, str]) -> bool:
    return bool(urllib.request.proxy_bypass_environment(host, named))  # type: ignore[attr-defined]


def hosts(description: Description) -> tuple[str, ...]:
    """What a seal must permit for it, as host:port; nothing for a command line.

    Raises
    ------
    ValueError
        If the proxy of the environment is no address.
    """
    if not description.url:
        return ()
    return (host_and_port(proxy_for(description.url) or description.url),)
