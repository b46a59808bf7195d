"""Every setting of the control plane, in small groups. Read once, in `load`, and passed down.

A setting comes from the file named by `--config` or MOORAGE_CONFIG (TOML), and can be overridden by
the environment: MOORAGE_SERVER__PORT=7700 is `port` of the group `server`. A key that is not listed
here stops the start, so that a misspelt setting is never a silent default.
"""

import json
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, IPvAnyNetwork, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

PREFIX = "MOORAGE_"
CONFIG_VARIABLE = "MOORAGE_CONFIG"
EFFECTIVE_VARIABLE = "MOORAGE_EFFECTIVE_SETTINGS"
"""Names the file through which `moor up` hands its settings to its worker processes."""


METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus-client's own name for the folder in which processes add up their counters."""


class UnknownSetting(Exception):
    """A setting that does not exist was given."""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ServerSettings(Group):
    """Where the API listens and how."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = Field(default=7700, ge=1, le=65535)
    """Port to listen on."""
    workers: int = Field(default=1, ge=1, le=64)
    """Server processes. Each holds its own connections to the database."""
    public_url: str | None = None
    """The address people type, where a proxy stands in front. Default: made of host and port."""
    tls: Literal["auto", "own", "files", "off"] = "auto"
    """auto: plain on loopback, own certificate elsewhere. off: only behind a proxy with TLS."""
    certificate: Path | None = None
    """With tls = files: the certificate chain, PEM."""
    certificate_key: Path | None = None
    """With tls = files: its private key, PEM."""
    names: tuple[str, ...] = ()
    """Further host names and addresses for the own certificate."""
    trusted_proxies: tuple[IPvAnyNetwork, ...] = ()
    """Networks of proxies in front, whose word on the caller's address (X-Forwarded-For) counts."""
    waiting_requests: int = Field(default=20_000, ge=16)
    """How many requests may be open at once in one process."""


class DatabaseSettings(Group):
    """Where the control plane keeps its state. Empty: an embedded PostgreSQL in the data folder."""

    app_url: str | None = None
    """Connects as moorage_app: what requests run as."""
    system_url: str | None = None
    """Connects as moorage_system: what background sweeps look with."""
    owner_url: str | None = None
    """Connects as moorage_owner: migrations, backup and audit verification only."""
    pool_size: int = Field(default=10, ge=1, le=200)
    """Connections per process for requests. A waiting request holds none."""
    statement_timeout: timedelta = timedelta(seconds=15)
    """No single statement of a request may take longer."""


class IdentitySettings(Group):
    """People, sessions and tokens."""

    first_admin: str = "admin@localhost"
    """E-mail of the platform admin made at first start."""
    session_lifetime: timedelta = timedelta(hours=12)
    """How long a browser session lasts at most."""
    session_idle: timedelta = timedelta(hours=2)
    """A session that nobody used for so long is over."""
    access_token_lifetime_max: timedelta = timedelta(days=366)
    """The longest life a personal access token may be given."""
    token_lifetime: timedelta = timedelta(minutes=10)
    """Life of the tokens that service accounts mint."""
    signing_key_lifetime: timedelta = timedelta(days=30)
    """How long one key signs new tokens before the next takes over."""
    login_per_minute: int = Field(default=30, ge=1)
    """Passwords that may be tried per address, and per account, and server process."""
    lockout_after: int = Field(default=5, ge=1)
    """Wrong passwords in a row before an account is locked for a while."""
    lockout_for: timedelta = timedelta(minutes=5)
    """How long it is locked; doubles with the next wrong password after it, up to 15 minutes."""


class LimitSettings(Group):
    """What one caller may ask for."""

    body_bytes: int = Field(default=1_048_576, ge=1024)
    """The largest request body, unless a route streams."""
    artifact_bytes: int = Field(default=1 << 40, ge=1024)
    """The largest artifact, and so the largest body of a route that streams."""
    artifact_reserve_bytes: int = Field(default=1 << 29, ge=0)
    """Room on the disk that uploads leave free: the database may need it."""
    project_apps: int = Field(default=100, ge=1)
    """Apps that a project may publish."""
    app_drafts: int = Field(default=50, ge=1)
    """Drafts that an app may have at a time."""
    app_versions: int = Field(default=2000, ge=1)
    """Versions that an app may have in all, drafts included."""
    requests_per_second: float = Field(default=200, gt=0)
    """Sustained requests per principal and server process."""
    burst: int = Field(default=1000, ge=1)
    """How many requests a principal may send at once after a pause."""
    waiting_per_principal: int = Field(default=1000, ge=1)
    """Long polls and streams that a principal may have open at once, per server process."""
    anonymous_per_second: float = Field(default=20, gt=0)
    """Sustained requests per address without credentials, and server process."""
    anonymous_burst: int = Field(default=200, ge=1)
    """How many requests an address may send at once without credentials."""


class RetentionSettings(Group):
    """How long what is not the record is kept. The audit log is kept for good."""

    events: timedelta = timedelta(days=30)
    """Events older than this are deleted; a cursor before them gets a 410."""
    idempotency: timedelta = timedelta(hours=24)
    """Stored answers; a key may be used afresh afterwards."""
    sessions: timedelta = timedelta(days=7)
    """Ended sessions are kept so long."""
    deliveries: timedelta = timedelta(days=14)
    """Webhook deliveries that ended, delivered or dead."""
    tasks: timedelta = timedelta(days=30)
    """Tasks that ended, with their output."""
    operations: timedelta = timedelta(days=365)
    """Operations that ended, and whose tasks are gone."""
    evidence: timedelta = timedelta(days=365)
    """What hosts said: logins, proofs of cleaning. And which certificates people were given."""
    sweep_every: timedelta = timedelta(minutes=10)
    """How often the sweep looks."""
    batch: int = Field(default=1000, ge=1)
    """Rows deleted in one transaction."""


class AuditSettings(Group):
    """The seal on the audit log."""

    seal_every: timedelta = timedelta(seconds=10)
    """The unsealed window: entries younger than this may not be sealed yet."""
    seal_log: Path | None = None
    """Second place for signed roots. Default: seals/ in the data folder. Better: another disk."""


class WebhookSettings(Group):
    """Pushing events to others."""

    private_addresses: bool = False
    """Deliver to loopback, link-local and private addresses too."""
    attempts: int = Field(default=12, ge=1)
    """Tries before a delivery goes to the dead-letter list."""
    timeout: timedelta = timedelta(seconds=10)
    """How long one try may take."""
    parallel: int = Field(default=16, ge=1)
    """Deliveries under way at once in one process."""


class ArtifactSettings(Group):
    """How much publishers may keep, and how much may be on its way at once."""

    project_bytes: int = Field(default=1 << 40, ge=0)
    """Bytes that one project may have in the platform's store, announced ones too."""
    open_uploads: int = Field(default=50, ge=1)
    """Artifacts that one project may have announced and not completed."""
    transfers_per_principal: int = Field(default=8, ge=1)
    """Uploads, downloads and completions that a principal may have under way, per process."""
    transfers: int = Field(default=64, ge=2)
    """The same, of all principals together. An org has half of them at most."""


class SourceSettings(Group):
    """Fetching artifacts from where tenants and the platform keep them."""

    private_addresses: bool = False
    """Fetch from private addresses too; from loopback also by plain HTTP."""
    timeout: timedelta = timedelta(seconds=30)
    """How long a source may take to answer, and to send the next bytes."""
    bytes_per_second: int = Field(default=64 * 1024, ge=1)
    """The slowest source that is waited for, on average over a download."""


class MachineSettings(Group):
    """Nodes, allocations and tasks."""

    silent_after: timedelta = timedelta(seconds=25)
    """A node that was not heard of for so long is unreachable."""
    enrolment_lifetime: timedelta = timedelta(hours=1)
    """How long an enrolment's line works, unless it is asked for otherwise."""
    node_token_lifetime: timedelta = timedelta(minutes=10)
    """Life of the tokens that agents get for an assertion."""
    reimage_command: tuple[str, ...] = ()
    """Images a node anew: gets a JSON document on its standard input. Empty: done by hand."""
    reimage_timeout: timedelta = timedelta(minutes=30)
    """How long the command, and the enrolment after it, may take."""
    provision_timeout: timedelta = timedelta(minutes=5)
    """How long a node may take to answer its first probe for an allocation."""
    release_timeout: timedelta = timedelta(minutes=15)
    """How long a node may take to be cleaned."""
    output_limit: int = Field(default=1 << 20, ge=1024, le=1 << 26)
    """Bytes of each output stream of a task that are kept, unless the task says otherwise."""
    ssh_hands: int = Field(default=16, ge=1)
    """Hosts without agent on which one process works at once; one org has half of it at most."""
    ssh_timeout: timedelta = timedelta(seconds=10)
    """How long a host without agent may take to let us in."""
    private_addresses: bool = True
    """Reach hosts without agent on private addresses: that is where machines are."""
    loopback_addresses: bool = False
    """Reach hosts without agent on this very machine too. For labs."""


class AccessSettings(Group):
    """People on machines."""

    certificate_lifetime: timedelta = Field(default=timedelta(minutes=5), le=timedelta(minutes=15))
    """Life of an SSH certificate."""
    grant_lifetime_max: timedelta = timedelta(days=90)
    """The longest life of an access grant."""
    uid_min: int = Field(default=200_000, ge=1000)
    """First uid that is given to people on nodes."""
    uid_max: int = Field(default=299_999, ge=1000)
    """Last uid that is given to people on nodes."""
    users: Literal["managed", "external"] = "managed"
    """external: accounts come from the site's own directory, and the platform makes none."""


class SecretSettings(Group):
    """Where secrets are kept."""

    store: Literal["embedded", "openbao"] = "embedded"
    """embedded: sealed in the database with a key file. openbao: in an OpenBao server."""
    url: str | None = None
    """With store = openbao: its address."""
    token_file: Path | None = None
    """With store = openbao: a file that holds the token, read again when it is refused."""
    ca_file: Path | None = None
    """With store = openbao: the authority of its certificate, PEM."""
    namespace: str | None = None
    """With store = openbao: the namespace, where there are some."""
    kv_mount: str = "moorage"
    """Where its KV v2 engine is mounted."""
    transit_mount: str = "transit"
    """Where its transit engine is mounted."""
    transit_key: str = "moorage"
    """The key in the transit engine."""
    timeout: timedelta = timedelta(seconds=5)
    """How long it may take to answer."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.url is None:
            if self.store == "openbao":
                raise ValueError("store = openbao needs url and token_file")
            return self
        if self.token_file is None:
            raise ValueError("url needs token_file")
        parts = urlsplit(self.url)
        loopback = parts.hostname in ("127.0.0.1", "::1", "localhost")
        if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
            raise ValueError("url must begin with https, off this machine")
        return self


class LogSettings(Group):
    """What is written to standard error."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """Lines below this level are dropped."""
    format: Literal["json", "text"] = "json"
    """text is for people at a terminal."""


class Settings(BaseSettings):
    """Everything the control plane can be told."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    data: Path = Path("/var/lib/moorage")
    """The one folder that holds database, keys, certificates and blobs."""
    background: bool = True
    """Run background work inside the server processes. Off: `moor worker` runs it elsewhere."""
    cors_origins: tuple[str, ...] = ()
    """Web origins that may call the API from a browser. None by default."""

    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    identity: IdentitySettings = IdentitySettings()
    limits: LimitSettings = LimitSettings()
    retention: RetentionSettings = RetentionSettings()
    audit: AuditSettings = AuditSettings()
    webhooks: WebhookSettings = WebhookSettings()
    artifacts: ArtifactSettings = ArtifactSettings()
    sources: SourceSettings = SourceSettings()
    machines: MachineSettings = MachineSettings()
    access: AccessSettings = AccessSettings()
    secrets: SecretSettings = SecretSettings()
    log: LogSettings = LogSettings()

    @property
    def url(self) -> str:
        """The address by which others reach this platform."""
        return self.server.public_url or self._address(self.server.host)

    @property
    def addresses(self) -> frozenset[str]:
        """Every address under which callers may know this platform."""
        return frozenset({self.url, *map(self._address, (self.server.host, *self.server.names))})

    def _address(self, host: str) -> str:
        scheme = "https" if self.serves_tls else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.server.port}"

    @property
    def serves_tls(self) -> bool:
        loopback = self.server.host in ("127.0.0.1", "::1", "localhost")
        return self.server.tls in ("own", "files") or (self.server.tls == "auto" and not loopback)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = os.environ.get(CONFIG_VARIABLE)
        toml = [TomlConfigSettingsSource(settings_cls, Path(file))] if file else []
        return (init_settings, env_settings, *toml)


def load(config: Path | None = None, **overrides: Any) -> Settings:
    """The settings in force: arguments, then environment, then file, then defaults."""
    effective = os.environ.get(EFFECTIVE_VARIABLE)
    if effective:
        return Settings.model_validate(json.loads(Path(effective).read_text()))
    if config is not None:
        os.environ[CONFIG_VARIABLE] = str(config)
    if (file := os.environ.get(CONFIG_VARIABLE)) and not Path(file).is_file():
        raise UnknownSetting(f"The settings file {file} does not exist.")
    _refuse_unknown(os.environ)
    return Settings(**overrides)


def dump(settings: Settings) -> str:
    """The settings as `load` reads them back in a worker process."""
    return settings.model_dump_json()


def metrics_folder() -> Path | None:
    """The folder that `moor up` gave the server processes to add up their counters in."""
    return Path(os.environ[METRICS_VARIABLE]) if METRICS_VARIABLE in os.environ else None


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    known = set(_variables())
    for name in environment:
        if name.startswith(PREFIX) and name not in known:
            raise UnknownSetting(
                f"The environment variable {name} is not a setting."
                " docs/reference/settings.md lists them."
            )


def _variables() -> list[str]:
    names = [CONFIG_VARIABLE, EFFECTIVE_VARIABLE]
    for name, field in Settings.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, Group):
            names += [f"{PREFIX}{name}__{key}".upper() for key in group.model_fields]
        names.append(f"{PREFIX}{name}".upper())
    return names
