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


def trusted(*urls: str) -> ssl.SSLContext:
    """Whom to believe at these addresses: of https, whom this machine trusts (SSL_CERT_FILE counts) and
    certifi, if installed; where none is https nobody, and no certificate is read: that takes longer than many
    a request."""
    if not any(urlsplit(url).scheme == "https" for url in urls):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError):
        import certifi

        context.load_verify_locations(certifi.where())
    return context
