"""A member's machine, and the verbs that work on it.

Each verb is one task, named after the step that asks for it: a replica that takes the operation
over asks by the same name and finds what the first one began. `put`, `packages`, `service`, `get`
and `probe` make sure of something and are safe to run twice; `exec` is only where you say so.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

from moorage.controller import holds, references
from moorage.controller.briefs import Artifact, Member
from moorage.controller.holds import Ended, Stream, TaskKind, Tasks, Wish
from moorage.controller.outcomes import Fail, Retry
from moorage_manifest import Manifest

UNKNOWN_TRIES = 3
"""Times that something safe is done when nobody can say how it ended."""
LOG_LINES = 20
PUT_BYTES = 500_000
Part = Literal["inventory", "residue", "services", "listening"]


@dataclass
class StepContext:
    """The step that is being taken, for what it asks machines to do."""

    prefix: str
    counts: dict[str, int] = field(default_factory=dict[str, int])

    def key(self, allocation: str, kind: str, given: Mapping[str, Any]) -> str:
        """A name that is the same whenever the same step asks for the same, in the same order.

        The input is part of it: a step that asks otherwise after it was interrupted gets another
        task, and not the answer to the question of before.
        """
        count = self.counts[allocation] = self.counts.get(allocation, 0) + 1
        said = json.dumps(given, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(said.encode()).hexdigest()[:12]
        return f"{self.prefix}/{count}-{kind}-{digest}"


current: ContextVar[StepContext | None] = ContextVar("moorage_step", default=None)


@dataclass(frozen=True)
class Secret:
    """A secret that the platform keeps. Its value goes to machines and to nobody else."""

    name: str

    @property
    def reference(self) -> dict[str, str]:
        return {references.SECRET: self.name}


@dataclass(frozen=True)
class Done:
    """What came of a command.

    Attributes:
        exit_code: What it ended with.
        stdout: What it wrote, as text.
        stderr: What it complained about.
    """

    exit_code: int
    stdout: str = ""
    stderr: str = ""

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


@dataclass(frozen=True)
class Installed:
    """What came of asking for packages."""

    changed: bool
    versions: dict[str, str]


@dataclass(frozen=True)
class ServiceState:
    """How a service stands."""

    changed: bool
    active_state: str
    sub_state: str = ""
    enabled: bool = False

    @property
    def is_active(self) -> bool:
        return self.active_state == "active"


class Machine:
    """The machine that a member stands on."""

    def __init__(
        self,
        member: Member,
        *,
        tasks: Tasks,
        manifest: Manifest,
        artifacts: Sequence[Artifact] = (),
    ) -> None:
        self.member = member
        self._artifacts = artifacts
        self._tasks = tasks
        self._manifest = manifest

    def __repr__(self) -> str:
        return f"Machine({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and other.member.id == self.member.id

    def __hash__(self) -> int:
        return hash(self.member.id)

    @property
    def name(self) -> str:
        """The member's name, which tells machines of an instance apart."""
        return self.member.name

    @property
    def address(self) -> str:
        """Where the other members reach it.

        Raises:
            Fail: the platform knows no address of it.
        """
        if self.member.host_address is None:
            raise Fail("address_missing", f"The host of {self.name} has no address.")
        return self.member.host_address

    @property
    def reference(self) -> dict[str, str]:
        return {references.MACHINE: self.member.id}

    async def exec(
        self,
        *argv: str,
        stdin: str | Secret | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        secret_files: Sequence[Secret] = (),
        run_as: str = "root",
        timeout: int = 600,  # noqa: ASYNC109 - the task's own
        repeatable: bool = False,
        check: bool = True,
    ) -> Done:
        """Run a program. No shell reads the arguments.

        Args:
            stdin: What it reads; a secret goes there without passing this process.
            secret_files: Secrets that it finds as files in the folder `$MOORAGE_SECRETS`.
            timeout: Seconds that it may take.
            repeatable: Whether it may be run again where nobody knows how it ended. If not, the
                operation is blocked until a person has looked.
            check: Whether anything but exit code 0 ends the step.

        Raises:
            Fail: it ended otherwise and `check` is set, or it could not be run at all.
        """
        given: dict[str, Any] = {"argv": [*argv]}
        given |= _said(cwd=cwd, env=dict(env or {}) or None, stdin=references.written(stdin))
        given |= _said(secret_files=[secret.name for secret in secret_files] or None)
        ended = await self._do("exec", given, run_as=run_as, timeout=timeout, repeatable=repeatable)
        ran = "exit_code" in ended.result and ended.result["exit_code"] is not None
        if ended.status != "succeeded" and (check or not ran):
            raise await self._failure(ended, f"`{argv[0]}`")
        stdout, stderr = await self._text(ended, "stdout"), await self._text(ended, "stderr")
        return Done(int(ended.result.get("exit_code", 0)), stdout, stderr)

    async def put(
        self,
        path: str,
        content: str | bytes | Secret | None = None,
        *,
        artifact: str | None = None,
        mode: str | None = None,
        owner: str | None = None,
        group: str | None = None,
        parents: bool = False,
    ) -> bool:
        """Make sure of a file: of a text, some bytes, a secret, or an artifact of the manifest.

        Returns:
            Whether anything was changed.
        """
        if (content is None) == (artifact is None):
            raise ValueError("A file has either a content or an artifact.")
        given: dict[str, Any] = {"path": path, **_content(content)}
        if artifact is not None:
            given |= self._artifact(artifact)
        given |= _said(mode=mode, owner=owner, group=group, parents=parents or None)
        return await self._ensure("put", given, path)

    async def get(self, path: str, *, limit: int | None = None) -> bytes:
        """The content of a file.

        Raises:
            Fail: there is none; the code is `path_missing`.
        """
        ended = await self._do("get", {"path": path, **_said(limit=limit)})
        if ended.status != "succeeded":
            raise await self._failure(ended, path)
        return await self._tasks.output(ended.id, "content")

    async def packages(
        self,
        *present: str,
        absent: Sequence[str] = (),
        artifact: str | None = None,
        start: bool = True,
        timeout: int = 1800,  # noqa: ASYNC109 - the task's own
    ) -> Installed:
        """Make sure that packages are there, as `name` or `name=version`, or are not.

        With an artifact, which is a tar of packages, nothing comes from elsewhere.

        Args:
            start: Whether packages may start, stop and restart services. If not, those that run go
                on as they are, and those that come wait for `service`.
        """
        given = _said(present=[*present] or None, absent=[*absent] or None)
        given |= _said(start=None if start else False)
        if artifact is not None:
            given |= self._artifact(artifact)
        ended = await self._do("packages", given, timeout=timeout)
        if ended.status != "succeeded":
            raise await self._failure(ended, "packages")
        return Installed(bool(ended.changed), dict(ended.result.get("installed") or {}))

    async def service(
        self,
        unit: str,
        state: Literal["started", "stopped", "restarted", "reloaded"] | None = None,
        *,
        enabled: bool | None = None,
        content: str | None = None,
    ) -> ServiceState:
        """Make sure how a service stands. With `content` its unit file is written first."""
        given: dict[str, Any] = {"unit": unit}
        given |= _said(state=state, enabled=enabled, content=content)
        ended = await self._do("service", given)
        if ended.status != "succeeded":
            raise await self._failure(ended, unit)
        said = ended.result
        return ServiceState(
            bool(ended.changed),
            str(said.get("active_state", "")),
            str(said.get("sub_state", "")),
            enabled=bool(said.get("enabled")),
        )

    async def probe(self, name: str) -> Done:
        """Run a probe that the manifest declares. It changes nothing."""
        found = [probe for probe in self._manifest.probes if probe.name == name]
        if not found:
            raise ValueError(f"The manifest declares no probe {name}.")
        probe = found[0]
        ended = await self._do("probe", {"argv": [*probe.command]}, timeout=int(probe.timeout))
        if "exit_code" not in ended.result:
            raise await self._failure(ended, name)
        stdout, stderr = await self._text(ended, "stdout"), await self._text(ended, "stderr")
        return Done(int(ended.result["exit_code"]), stdout, stderr)

    async def inspect(self, *parts: Part) -> dict[str, Any]:
        """What the host shows of itself: services, listening ports, what is left behind."""
        ended = await self._do("probe", {"parts": [*parts]})
        if ended.status != "succeeded":
            raise await self._failure(ended, "the host")
        return ended.result

    # How a verb becomes a task

    async def _ensure(self, kind: TaskKind, given: dict[str, Any], what: str) -> bool:
        ended = await self._do(kind, given)
        if ended.status != "succeeded":
            raise await self._failure(ended, what)
        return bool(ended.changed)

    async def _do(
        self,
        kind: TaskKind,
        given: dict[str, Any],
        *,
        run_as: str = "root",
        timeout: int = 600,  # noqa: ASYNC109 - the task's own
        repeatable: bool = False,
    ) -> Ended:
        step = current.get()
        if step is None:
            raise RuntimeError(
                "Work on a machine belongs into a step: `await op.step(name, function, machine)`."
            )
        allocation = self.member.allocation_id
        if allocation is None:
            raise Fail("machine_missing", f"{self.name} stands on no machine.")
        key = step.key(allocation, kind, given)
        for attempt in range(1, UNKNOWN_TRIES + 1):
            ended = await self._tasks.task(
                Wish(key, kind, allocation, given, run_as, timeout, attempt, repeatable)
            )
            if ended.status != "unknown":
                return ended
            if not (repeatable or kind in holds.ENSURING):
                raise Fail(
                    "outcome_unknown",
                    f"Nobody can say how a command on {self.name} ended (task {ended.id}), and it "
                    "must not be run twice. Look at the machine, then resume or cancel.",
                )
        raise Retry(f"{self.name} does not say how its tasks end", after=30)

    def _artifact(self, name: str) -> dict[str, Any]:
        for artifact in self._artifacts:
            if artifact.name == name:
                return {"digest": artifact.digest, "size": artifact.size}
        raise ValueError(f"The version of the instance declares no artifact {name}.")

    async def _text(self, ended: Ended, stream: Stream) -> str:
        if stream in ended.silent:
            return ""
        return (await self._tasks.output(ended.id, stream)).decode("utf-8", "replace")

    async def _failure(self, ended: Ended, what: str) -> Fail:
        """Time mends most of what goes wrong on hosts; what it does not mend is failed at last."""
        said = (await self._text(ended, "stderr")) or (await self._text(ended, "stdout"))
        code = ended.error_code or ended.status
        why = ended.error_message or f"it {ended.status.replace('_', ' ')}"
        return Fail(
            code,
            f"{what} on {self.name}: {why}",
            recovery="retryable",
            log=said.splitlines()[-LOG_LINES:],
        )


def _said(**given: Any) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _content(content: str | bytes | Secret | None) -> dict[str, Any]:
    if content is None:
        return {}
    if isinstance(content, Secret):
        return {"content": content.reference}
    raw = content.encode() if isinstance(content, str) else content
    if len(raw) > PUT_BYTES:
        raise ValueError(f"A file of {len(raw)} bytes is an artifact; {PUT_BYTES} go at most.")
    return {"content": base64.b64encode(raw).decode()}
