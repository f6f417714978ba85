"""An endpoint's address: whether it is one, what a seal must permit for it, whose certificates count."""

import contextlib
import ssl
from urllib.parse import urlsplit


def is_address(url: str) -> bool:
    """Whether it is http or https, with a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def host_and_port(url: str) -> str:
    """What a sealed run must permit: host:port, a numeric IPv6 host in brackets."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def trusted() -> ssl.SSLContext:
    """The certificates that this machine trusts (SSL_CERT_FILE counts) and those of certifi, if installed."""
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context
