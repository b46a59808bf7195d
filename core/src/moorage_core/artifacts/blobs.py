"""What a store of bytes must be able to do. `local_blobs` is the one that is there."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Protocol

from moorage_core.artifacts import rules


class Blobs(Protocol):
    """A store of bytes. Another one comes in by having these methods."""

    async def size(self, upload: str) -> int:
        """How many bytes of the upload have arrived."""
        ...

    async def append(
        self, upload: str, *, offset: int, size: int, chunks: AsyncIterator[bytes]
    ) -> int:
        """Go on with an upload of `size` bytes. What arrived stays, whatever goes wrong after.

        Raises UploadBusy, UploadOffset, MoreThanAnnounced, StoreFull.
        """
        ...

    async def seal(self, upload: str, *, digest: str, size: int) -> rules.Verification:
        """Check what arrived. Right: it is a blob now. Wrong: it is thrown away."""
        ...

    async def open(self, digest: str, *, size: int, offset: int) -> AsyncIterator[bytes]:
        """The bytes of a blob from `offset` on. Raises ContentUnavailable.

        Read from the beginning, they are checked on the way: the last piece of wrong bytes is never
        given out, so nobody takes them for whole.
        """
        ...

    async def discard(self, upload: str) -> None:
        """Throw away what arrived."""
        ...

    async def remove(self, digest: str, *, put_before: datetime) -> bool:
        """Remove a blob, unless it was put in its place since."""
        ...

    async def touched_at(self, upload: str) -> datetime | None:
        """When bytes last arrived; None where none have."""
        ...

    async def uploads(self) -> list[str]:
        """Every upload of which there are bytes."""
        ...

    def digests(self) -> AsyncIterator[list[str]]:
        """Every blob, a few at a time."""
        ...
