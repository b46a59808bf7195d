"""Is it up, which release is it, how is it doing."""

import json
from pathlib import Path

from fastapi import Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from moorage_core import __version__, settings
from moorage_core.authz.authorize import authorize, platform
from moorage_core.authz.permissions import Permission
from moorage_core.http.routing import PUBLIC, Ctx, PlatformDep, Routes
from moorage_core.kit.db import Scope
from moorage_core.kit.wire import Output

routes = Routes(tag="platform")


class StatusRead(Output):
    status: str
    version: str


@routes.read(
    "/v1/status",
    key=PUBLIC,
    why_public="load balancers and people ask whether it is up",
    response_model=StatusRead,
    waits=True,
)
async def get_status(platform: PlatformDep) -> dict[str, str]:
    """Whether the platform can serve: it is up and its database answers."""
    async with platform.database.transaction(Scope(), read_only=True) as db:
        await db.value("SELECT 1")
    return {"status": "ok", "version": __version__}


@routes.read(
    "/v1/openapi.json",
    key=PUBLIC,
    why_public="the contract is for everybody",
    waits=True,
    response_class=JSONResponse,
)
async def get_openapi(request: Request) -> Response:
    """The OpenAPI document of this API."""
    state = request.app.state
    if not hasattr(state, "openapi"):
        state.openapi = json.dumps(request.app.openapi()).encode()
    return Response(state.openapi, media_type="application/json")


@routes.read(
    "/metrics",
    key=Permission.PLATFORM_METRICS_READ,
    response_class=PlainTextResponse,
)
async def get_metrics(ctx: Ctx) -> PlainTextResponse:
    """Counters of all server processes, in Prometheus' text format. Platform admins only."""
    authorize(ctx, Permission.PLATFORM_METRICS_READ, platform())
    registry = REGISTRY
    if folder := settings.metrics_folder():
        forget_dead_processes(folder)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
    return PlainTextResponse(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def forget_dead_processes(folder: Path) -> None:
    """What a killed process had under way is not under way any more; what it counted stays."""
    for file in folder.glob("gauge_live*.db"):
        if not Path(f"/proc/{file.stem.rpartition('_')[2]}").exists():
            file.unlink(missing_ok=True)
