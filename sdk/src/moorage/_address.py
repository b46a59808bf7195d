"""Where credentials may be sent: anywhere by TLS, and by plain HTTP to this machine alone."""

import ipaddress
import ssl
from pathlib import Path

import httpx2

from moorage._problem import AddressRefused, PlainHttpRefused


def checked(url: str) -> httpx2.URL:
    """The platform's address without a slash at its end; raises before anything is sent."""
    try:
        parsed = httpx2.URL(url.strip().rstrip("/"))
    except httpx2.InvalidURL as err:
        raise AddressRefused("The address of the platform is not a URL.") from err
    if parsed.scheme not in {"http", "https"} or not parsed.host:
        raise AddressRefused("The address of the platform begins with https:// and names a host.")
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise AddressRefused(
            "The address of the platform holds no user name, password, query or fragment."
        )
    if parsed.scheme == "http" and not is_loopback(parsed.host):
        raise PlainHttpRefused(
            f"http://{parsed.host} is plain HTTP to another machine: everybody on the way could "
            "read the credentials. Use https://, with the platform's own CA if it has one."
        )
    return parsed


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine itself."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def trust(ca: str | Path | None) -> ssl.SSLContext:
    """Whom to believe: one authority's certificate (a file, or PEM text), or the system's list."""
    if ca is None:
        return ssl.create_default_context()
    try:
        if isinstance(ca, str) and ca.lstrip().startswith("-----BEGIN"):
            return ssl.create_default_context(cadata=ca)
        return ssl.create_default_context(cafile=str(ca))
    except FileNotFoundError as err:
        raise AddressRefused(f"There is no file {ca} with the authority's certificate.") from err
    except (ssl.SSLError, OSError) as err:
        raise AddressRefused("The authority's certificate cannot be read; PEM is needed.") from err
