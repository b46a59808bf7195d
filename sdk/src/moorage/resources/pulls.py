"""Pulls: credentials of minutes to fetch one artifact, and the fetching."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Literal

from moorage import _operations as operations
from moorage import _retry
from moorage._calls import Group, call
from moorage._files import Target
from moorage._model import id_of
from moorage._operation import Arguments
from moorage._problem import Busy, TooManyRequests, Unreachable
from moorage.errors import ContentUnavailable, PullExpired
from moorage.models import AppRead, ProjectRead, PullCreate, PullIssued
from moorage.resources.artifacts import Progress

CHUNK = 1 << 20
Channel = Literal["dev", "staging", "prod"]


class Pulls(Group):
    """Pulls: fetching artifacts of apps that a project is entitled to."""

    async def fetch(
        self,
        project: ProjectRead | str,
        *,
        app: AppRead | str,
        artifact: str,
        to: Path | str,
        version: str | None = None,
        channel: Channel | None = None,
        progress: Progress | None = None,
        check: Callable[[PullIssued], None] | None = None,
    ) -> PullIssued:
        """Fetch an artifact into a file, however often the connection breaks.

        The file gets its name when all of it has arrived and has the right digest, not before.

        Args:
            project: The project that is entitled to the app.
            app: The app, or its id.
            artifact: The artifact's name in the version's manifest.
            to: The file to write. One that is there is replaced, at the end and at once.
            version: The version's number or id.
            channel: Or the channel that says which version. Neither: your entitlement says.
            progress: Called with the bytes that have arrived and the bytes in all.
            check: Called before anything is fetched; raise to fetch nothing. For signatures, which
                `moorage.signatures.check` checks.

        Raises:
            PolicyRefused: A layer of policy does not allow it; `errors` names each.
            ContentWrong: Other bytes arrived than were promised. They were thrown away.
        """
        while True:
            pull = await self.create(
                project, app=app, artifact=artifact, version=version, channel=channel
            )
            if check is not None:
                check(pull)
            try:
                await self.download(pull, to=to, progress=progress)
            except PullExpired:
                continue
            return pull

    async def download(
        self, pull: PullIssued, *, to: Path | str, progress: Progress | None = None
    ) -> None:
        """Fetch what a credential is for into a file, which is whole or not there.

        Raises:
            PullExpired: What has arrived is kept; another credential goes on from there.
        """
        target = Target(Path(to), digest=pull.digest, size=pull.size)
        await target.open()
        try:
            await self._receive_rest(pull, target, progress)
            await target.finish()
        finally:
            target.close()

    async def _receive_rest(
        self, pull: PullIssued, target: Target, progress: Progress | None
    ) -> None:
        patience, since = _retry.Patience(self._transport.patience), time.monotonic()
        while target.received < target.size:
            before = target.received
            try:
                async for chunk in self.content(pull, offset=before):
                    await target.write(chunk)
                    if progress is not None:
                        progress(target.received, target.size)
            except (Unreachable, Busy, TooManyRequests) as err:
                if target.received > before:
                    patience, since = _retry.Patience(self._transport.patience), time.monotonic()
                wait = patience.next(err, spent=time.monotonic() - since)
                if isinstance(err, ContentUnavailable) or wait is None:
                    raise
                await asyncio.sleep(wait)

    @call(operations.CREATE_PULL, PullIssued)
    def create(
        self,
        project: ProjectRead | str,
        *,
        app: AppRead | str,
        artifact: str,
        version: str | None = None,
        channel: Channel | None = None,
    ) -> Arguments:
        """A credential to pull one artifact: good for minutes, and for you alone."""
        return Arguments(
            path={"project": id_of(project)},
            body=PullCreate(app=id_of(app), artifact=artifact, version=version, channel=channel),
        )

    async def content(self, pull: PullIssued, *, offset: int = 0) -> AsyncIterator[bytes]:
        """The bytes from an offset on, as they come. `download` checks them too.

        Raises:
            Unreachable: The connection broke. Go on from where it did.
        """
        headers = {"Moorage-Pull": pull.secret, "Accept-Encoding": "identity"}
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": f'"{pull.digest}"'}
        arguments = Arguments(path={"pull": pull.id}, headers=headers)
        async with self._transport.stream(
            operations.GET_PULL_CONTENT, arguments, self._options
        ) as response:
            async for chunk in response.aiter_raw(CHUNK):
                yield chunk

    content.__dict__["operation"] = operations.GET_PULL_CONTENT
