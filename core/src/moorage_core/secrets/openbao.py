"""Speaking to an OpenBao server: its KV v2 engine, its transit engine, our token.

Every call blocks and has a time limit; `openbao_store` makes them in threads. What goes wrong is
`Unusable`, whose text says what an operator would do about it. Nothing here is for tenants' eyes.
"""

import base64
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import hvac
import requests  # noqa: TID251 (what hvac speaks through, and whose errors it lets out)
from hvac import exceptions

from moorage_core.settings import SecretSettings

T = TypeVar("T")
_WRAPPED = re.compile(r"[a-z]+:v([0-9]+):.+")


class Unusable(Exception):
    """The OpenBao server does not do what we need of it. The text says what would help."""


class EntryMissing(Exception):
    """There is nothing at this place, or it was destroyed."""


@dataclass(frozen=True)
class DataKey:
    """A key that seals one secret, and the same key as only the transit engine opens it."""

    version: int
    wrapped: bytes
    plain: bytes = field(repr=False)


class OpenBao:
    def __init__(self, settings: SecretSettings) -> None:
        assert settings.url is not None, "checked with the settings"
        assert settings.token_file is not None, "checked with the settings"
        self._settings = settings
        self._token_file: Path = settings.token_file
        self._session = requests.Session()
        # No proxy and no credentials from the environment.
        self._session.trust_env = False
        self._lock = threading.Lock()
        self._client: Any = None

    # Transit

    def data_key(self) -> DataKey:
        answer = self._ask(
            lambda client: client.secrets.transit.generate_data_key(
                name=self._settings.transit_key,
                key_type="plaintext",
                mount_point=self._settings.transit_mount,
            )
        )
        wrapped: str = answer["data"]["ciphertext"]
        plain = base64.b64decode(answer["data"]["plaintext"])
        return DataKey(version_of(wrapped), wrapped.encode(), plain)

    def unwrap(self, wrapped: bytes) -> bytes:
        answer = self._ask(
            lambda client: client.secrets.transit.decrypt_data(
                name=self._settings.transit_key,
                ciphertext=wrapped.decode(),
                mount_point=self._settings.transit_mount,
            )
        )
        return base64.b64decode(answer["data"]["plaintext"])

    def rewrap(self, wrapped: bytes) -> bytes:
        answer = self._ask(
            lambda client: client.secrets.transit.rewrap_data(
                name=self._settings.transit_key,
                ciphertext=wrapped.decode(),
                mount_point=self._settings.transit_mount,
            )
        )
        return str(answer["data"]["ciphertext"]).encode()

    def newest(self) -> int:
        answer = self._ask(
            lambda client: client.secrets.transit.read_key(
                name=self._settings.transit_key, mount_point=self._settings.transit_mount
            )
        )
        return int(answer["data"]["latest_version"])

    # KV

    def write(self, place: str, value: bytes) -> None:
        """Put a value where nothing is. Done twice with the same value, it is done once."""
        document = {"sealed": base64.b64encode(value).decode()}

        def create(client: Any) -> None:
            try:
                client.secrets.kv.v2.create_or_update_secret(
                    path=place, secret=document, cas=0, mount_point=self._settings.kv_mount
                )
            except exceptions.InvalidRequest as err:
                if "check-and-set" not in str(err):
                    raise

        self._ask(create)
        if self.read(place) != value:
            raise Unusable(f"OpenBao has another value at {self._settings.kv_mount}/{place}.")

    def read(self, place: str) -> bytes:
        def read(client: Any) -> Any:
            try:
                return client.secrets.kv.v2.read_secret_version(
                    path=place,
                    mount_point=self._settings.kv_mount,
                    raise_on_deleted_version=True,
                )
            except exceptions.InvalidPath as err:
                if "no handler for route" in str(err):
                    raise
                raise EntryMissing(
                    f"OpenBao has nothing at {self._settings.kv_mount}/{place}."
                ) from err

        return base64.b64decode(self._ask(read)["data"]["data"]["sealed"])

    def destroy(self, place: str) -> None:
        """All versions and what is known of them. What is not there is destroyed."""
        self._ask(
            lambda client: client.secrets.kv.v2.delete_metadata_and_all_versions(
                path=place, mount_point=self._settings.kv_mount
            )
        )

    # Our token

    def renew(self) -> bool:
        """Ask for another term for our token. False where it has none to renew."""

        def renew(client: Any) -> bool:
            try:
                client.auth.token.renew_self()
            except (exceptions.InvalidRequest, exceptions.Forbidden):
                return False
            return True

        return self._ask(renew)

    def check(self) -> None:
        """Try all that the platform will need, at a place of its own."""
        place = f"check/{base64.b32encode(self.data_key().plain)[:16].decode().lower()}"
        key = self.data_key()
        if self.unwrap(key.wrapped) != key.plain:
            raise Unusable("OpenBao's transit engine does not give back what it was given.")
        self.rewrap(key.wrapped)
        self.newest()
        self.write(place, b"check")
        self.destroy(place)

    def _ask(self, call: Callable[[Any], T]) -> T:
        """Once more with the token that is in the file now, where the one we have is refused."""
        try:
            try:
                return call(self._connected())
            except exceptions.Forbidden:
                return call(self._connected(anew=True))
        except (exceptions.VaultError, requests.RequestException, OSError) as err:
            raise Unusable(self._explain(err)) from err

    def _connected(self, *, anew: bool = False) -> Any:
        with self._lock:
            if self._client is None or anew:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        settings = self._settings
        client: Any = cast(Any, hvac).Client(
            url=settings.url,
            token=self._read_token(),
            verify=str(settings.ca_file) if settings.ca_file else True,
            timeout=settings.timeout.total_seconds(),
            namespace=settings.namespace,
            allow_redirects=False,
            session=self._session,
        )
        return client

    def _read_token(self) -> str:
        try:
            return self._token_file.read_text().strip()
        except OSError as err:
            raise Unusable(
                f"The token of OpenBao cannot be read from {self._token_file}: {err.strerror}."
            ) from err

    def _explain(self, err: Exception) -> str:
        at, settings = f"OpenBao at {self._settings.url}", self._settings
        if isinstance(err, exceptions.VaultDown):
            return f"{at} is sealed or not ready. Unseal it: bao operator unseal"
        if isinstance(err, exceptions.Forbidden):
            return (
                f"{at} does not let our token do this ({err}). Put a token with the policy of "
                f"docs/howto/keep-secrets-in-openbao.md into {self._token_file}."
            )
        if isinstance(err, exceptions.InvalidPath):
            return (
                f"{at} lacks an engine: {err}. Wanted are KV v2 at {settings.kv_mount}/ and "
                f"transit at {settings.transit_mount}/."
            )
        if "encryption key not found" in str(err):
            return (
                f"{at} has no key {settings.transit_key} in {settings.transit_mount}/. Make it: "
                f"bao write -f {settings.transit_mount}/keys/{settings.transit_key}"
            )
        if isinstance(err, requests.exceptions.SSLError):
            return (
                f"{at} has a certificate that is not trusted. Name its authority: secrets.ca_file"
            )
        if isinstance(err, requests.RequestException):
            return f"{at} does not answer ({type(err).__name__}). Is it running there?"
        return f"{at} refuses: {err}"


def version_of(wrapped: str) -> int:
    match = _WRAPPED.fullmatch(wrapped)
    if match is None:
        raise Unusable("OpenBao's transit engine answers with a key in an unknown form.")
    return int(match[1])
