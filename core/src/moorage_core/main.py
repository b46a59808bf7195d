"""Puts the control plane together: the only place that does."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from moorage_core import __version__, api
from moorage_core import settings as settings_module
from moorage_core.access import lists as access_lists
from moorage_core.access.sweeps import EndGrants, SyncAccess
from moorage_core.actions import target as action_target
from moorage_core.allocations.sweeps import DriveAllocations
from moorage_core.artifacts.blobs import Blobs
from moorage_core.artifacts.local_blobs import LocalBlobs
from moorage_core.artifacts.sweeps import DiscardUploads, RemoveBlobs
from moorage_core.artifacts.transfers import Transfers
from moorage_core.audit.sweeps import FlushDenials, SealAudit
from moorage_core.background import driver
from moorage_core.catalog.published import Published
from moorage_core.console import serving as console
from moorage_core.controllers.sweeps import FreeWatches
from moorage_core.credentials.sweeps import DropOldKeys, RunSshTasks
from moorage_core.errors import Problem
from moorage_core.events.sweeps import NumberRecords, catch_up
from moorage_core.http import directory, problems
from moorage_core.http.edge import Edge
from moorage_core.http.principal_cache import PrincipalCache
from moorage_core.http.waiting import WaitingRoom
from moorage_core.instances import target as instance_target
from moorage_core.instances.sweeps import ForgetStale
from moorage_core.kit import logs
from moorage_core.kit.clock import Clock, SystemClock
from moorage_core.kit.db import open_database
from moorage_core.kit.outbound import Resolver
from moorage_core.kit.ratelimit import Buckets
from moorage_core.kit.wakeups import Hub
from moorage_core.members import following
from moorage_core.nodes import handout
from moorage_core.nodes import keyring as node_keys
from moorage_core.nodes.heartbeats import Heartbeats
from moorage_core.nodes.sweeps import FindSilentNodes, FlushHeartbeats, ReimageNodes
from moorage_core.oidc.issuers import Issuers
from moorage_core.operations.hooks import Target
from moorage_core.operations.sweeps import EndExpired, EndLeft, ExpireLeases, StopLate, WakeDue
from moorage_core.platform import Platform
from moorage_core.retention.sweeps import DeleteExpired
from moorage_core.runtime_secrets.sweeps import RemoveExpiredSecrets
from moorage_core.secrets import keyring
from moorage_core.secrets.custody import Custody
from moorage_core.secrets.embedded import EmbeddedStore
from moorage_core.secrets.keyring import Keyring
from moorage_core.secrets.openbao import OpenBao
from moorage_core.secrets.openbao_store import OpenBaoStore
from moorage_core.secrets.sweeps import MoveSecrets, PlaceSecrets, RenewStoreToken, RewrapSecrets
from moorage_core.settings import Settings
from moorage_core.signing.keyset import Keyset
from moorage_core.signing.sweeps import RotateSigningKeys
from moorage_core.tasks.hooks import Hook
from moorage_core.tasks.sweeps import ExpireTasks
from moorage_core.webhooks.sweeps import DeliverWebhooks, FanOutEvents

NAME_THREADS = 16
"""Threads in which a process looks up the names of sources."""

SWEEPS: tuple[type[driver.Sweep], ...] = (
    NumberRecords,
    RotateSigningKeys,
    RewrapSecrets,
    MoveSecrets,
    PlaceSecrets,
    RenewStoreToken,
    SealAudit,
    FlushDenials,
    FanOutEvents,
    DeliverWebhooks,
    DeleteExpired,
    DiscardUploads,
    RemoveBlobs,
    EndExpired,
    EndLeft,
    ExpireLeases,
    WakeDue,
    StopLate,
    ExpireTasks,
    RemoveExpiredSecrets,
    DriveAllocations,
    EndGrants,
    SyncAccess,
    RunSshTasks,
    DropOldKeys,
    FreeWatches,
    FlushHeartbeats,
    FindSilentNodes,
    ReimageNodes,
    ForgetStale,
)

TASK_HOOKS: dict[str, Hook] = {access_lists.KIND: access_lists.AccessLists()}
"""Kinds of task whose input is made at the moment in which a node takes them."""

TARGETS: dict[str, Target] = {
    "action": action_target.Actions(),
    "credential": instance_target.Instances(),
    "instance": instance_target.Instances(),
    "member": following.Members(),
}
"""By the first word of a kind of operation: whoever owns what it changes."""


def create_app() -> FastAPI:
    """What each server process runs: settings from file and environment, logs to standard error."""
    settings = settings_module.load()
    logs.configure(level=settings.log.level, format=settings.log.format)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with open_platform(settings) as platform:
            app.state.platform = platform
            # The supervisor's word that the end is near. See operate.serving.
            asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, platform.hub.close)
            yield

    return build_api(settings, lifespan=lifespan)


def build_api(settings: Settings, *, lifespan: Any = None, pages: Path = console.BUILT) -> FastAPI:
    """The HTTP side: routes, errors, edge. What it serves from is `app.state.platform`.

    `pages` is the folder of the built console and docs.
    """
    app = FastAPI(
        title="Moorage",
        version=__version__,
        summary="Publish clustered apps, deploy them on machines you hold, operate them for years.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        # Validation failures can hold secrets: they are not to be logged by the framework.
        telemetry={"logs": False},
    )
    for routes in api.ROUTERS:
        app.include_router(routes.router)
    directory.install(app, api.routes())
    app.router.default = console.Console(pages, otherwise=app.router.default)
    problems.install(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST", "PATCH", "PUT", "DELETE"],
            allow_headers=["authorization", "content-type", "idempotency-key", "if-match"],
            expose_headers=["etag", "x-correlation-id", "retry-after"],
        )
    app.add_middleware(
        Edge,
        body_bytes=settings.limits.body_bytes,
        stream_bytes=settings.limits.artifact_bytes,
        tls=settings.serves_tls,
    )
    app.openapi = lambda: _openapi(app)
    return app


@asynccontextmanager
async def open_platform(
    settings: Settings, *, clock: Clock | None = None, background: bool | None = None
) -> AsyncGenerator[Platform]:
    """The shared services of one process, with its background work."""
    urls = settings.database
    if urls.app_url is None or urls.system_url is None:
        raise settings_module.UnknownSetting(
            "database.app_url and database.system_url are not set."
            " `moor up` sets them for an embedded server."
        )
    async with AsyncExitStack() as stack:
        database = await open_database(
            urls.app_url,
            urls.system_url,
            pool_size=urls.pool_size,
            statement_timeout_ms=int(urls.statement_timeout.total_seconds() * 1000),
        )
        stack.push_async_callback(database.close)
        blobs = LocalBlobs(settings.data / "blobs", reserve=settings.limits.artifact_reserve_bytes)
        stack.callback(blobs.close)
        platform = _assemble(settings, database=database, blobs=blobs, clock=clock or SystemClock())
        platform.hub.listen(platform.principals.hear)
        await stack.enter_async_context(platform.hub.running())
        if platform.openbao is not None:
            stack.push_async_callback(platform.openbao.stock.close)
            await platform.openbao.stock.fill()
        if settings.background if background is None else background:
            sweeps = [sweep(platform) for sweep in SWEEPS]
            await stack.enter_async_context(driver.running(sweeps, system_url=urls.system_url))
        yield platform


def _assemble(settings: Settings, *, database: Any, blobs: Blobs, clock: Clock) -> Platform:
    limits, guesses = settings.limits, settings.identity.login_per_minute
    ring = keyring.ensure(settings.data / "keys")
    openbao = OpenBaoStore(OpenBao(settings.secrets)) if settings.secrets.url else None
    return Platform(
        settings=settings,
        clock=clock,
        database=database,
        hub=Hub(str(settings.database.system_url), catch_up=catch_up(database)),
        keyring=ring,
        custody=_custody(settings, ring, openbao),
        openbao=openbao,
        keyset=Keyset(monotonic=time.monotonic),
        issuers=Issuers(monotonic=time.monotonic),
        principals=PrincipalCache(monotonic=time.monotonic),
        waiting=WaitingRoom(limits.waiting_per_principal),
        by_principal=Buckets(limits.requests_per_second, limits.burst, monotonic=time.monotonic),
        by_address=Buckets(
            limits.anonymous_per_second, limits.anonymous_burst, monotonic=time.monotonic
        ),
        by_claim=Buckets(
            limits.anonymous_per_second, limits.anonymous_burst, monotonic=time.monotonic
        ),
        by_guess=Buckets(guesses / 60, guesses, monotonic=time.monotonic),
        names=Resolver(threads=NAME_THREADS, share=NAME_THREADS // 4),
        blobs=blobs,
        transfers=Transfers(
            per_principal=settings.artifacts.transfers_per_principal,
            at_once=settings.artifacts.transfers,
        ),
        task_hooks=TASK_HOOKS,
        targets=TARGETS,
        occupants=following.OnMachines(),
        heartbeats=Heartbeats(),
        handout=handout.installed(settings),
        published=Published(),
        node_key=node_keys.ensure(settings.data / "keys"),
    )


def _custody(settings: Settings, ring: Keyring, openbao: OpenBaoStore | None) -> Custody:
    embedded = EmbeddedStore(ring)
    if openbao is None:
        return Custody(settings.secrets.store, {"embedded": embedded})
    return Custody(settings.secrets.store, {"embedded": embedded, "openbao": openbao})


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The contract, which also says how callers prove themselves.

    Our problem documents stand in it in place of the framework's.
    """
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        schemas = document["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        _, ours = models_json_schema(
            [(Problem, "serialization")], ref_template="#/components/schemas/{model}"
        )
        schemas.update(ours["$defs"])
        document["components"]["schemas"] = dict(sorted(schemas.items()))
        document["components"]["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "session": {"type": "apiKey", "in": "cookie", "name": "moorage_session"},
        }
        for path in document["paths"].values():
            for operation in path.values():
                _drop_null(operation.get("parameters", []))
                public = operation.get("x-permission") == "public"
                operation["security"] = [] if public else [{"bearer": []}, {"session": []}]
        app.openapi_schema = document
    return app.openapi_schema


def _drop_null(parameters: list[dict[str, Any]]) -> None:
    """A query or a header is left out; there is no way to send null in one."""
    for parameter in parameters:
        schema: dict[str, Any] = parameter["schema"]
        kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
        if len(kinds) == 1:
            del schema["anyOf"]
            schema |= kinds[0]
