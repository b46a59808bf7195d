"""The host's NVIDIA GPUs: asked of the driver's own library, else of `nvidia-smi`.

The library is called through ctypes, so nothing has to be installed for it. A host without GPUs, or
with a driver that does not answer, has none: that is an answer and no error. A driver in trouble
can block for ever inside a call; it is asked in a thread that is left behind when that happens.
"""

import contextlib
import ctypes
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Optional

from moorage_agent import commands
from moorage_agent.commands import Run

LIBRARY = "libnvidia-ml.so.1"
WAIT = 30.0
"""Without persistence mode the driver wakes every GPU for the first call: seconds on a big host."""
_TEXT = 96
_MIB = 1024 * 1024
_QUERY = "index,name,uuid,memory.total,driver_version"


@dataclass(frozen=True)
class Found:
    """The GPUs, and who named them: `nvml`, `nvidia-smi` or `none`."""

    source: str
    gpus: list[dict[str, Any]]


class Unanswered(Exception):
    """The driver did not answer in time. Asking it in another way would wait as well."""


class _Refused(Exception):
    """A call of the library ended with an error."""


class _Memory(ctypes.Structure):
    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


def find(
    run: Run = commands.run, *, libraries: tuple[str, ...] = (LIBRARY,), wait: float = WAIT
) -> Found:
    """The GPUs of this host."""
    try:
        named = _within(wait, lambda: _from_library(libraries))
    except Unanswered:
        return Found("none", [])
    if named is not None:
        return Found("nvml", named)
    listed = from_smi(run)
    return Found("none", []) if listed is None else Found("nvidia-smi", listed)


def _within(
    seconds: float, ask: Callable[[], Optional[list[dict[str, Any]]]]
) -> Optional[list[dict[str, Any]]]:
    answers: list[Optional[list[dict[str, Any]]]] = []
    asking = threading.Thread(target=lambda: answers.append(ask()), daemon=True, name="gpus")
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise Unanswered
    return answers[0] if answers else None


def _from_library(libraries: tuple[str, ...]) -> Optional[list[dict[str, Any]]]:
    """What the library says; None where there is none, or its driver is not to be had."""
    library = _load(libraries)
    if library is None:
        return None
    try:
        with _opened(library):
            return _devices(library)
    except (_Refused, AttributeError):  # an old library lacks a function
        return None


def _load(libraries: tuple[str, ...]) -> Optional[ctypes.CDLL]:
    for name in libraries:
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    return None


@contextlib.contextmanager
def _opened(library: ctypes.CDLL) -> Generator[None, None, None]:
    """Between initialising and shutting down, so that the agent holds no GPU open."""
    _check(library.nvmlInit_v2())
    try:
        yield
    finally:
        library.nvmlShutdown()


def _devices(library: ctypes.CDLL) -> list[dict[str, Any]]:
    driver = _text(library.nvmlSystemGetDriverVersion)
    count = ctypes.c_uint()
    _check(library.nvmlDeviceGetCount_v2(ctypes.byref(count)))
    found: list[dict[str, Any]] = []
    for index in range(count.value):
        # A device that was lost, or that this container may not see, is left out.
        with contextlib.suppress(_Refused):
            found.append(_device(library, index, driver))
    return found


def _device(library: ctypes.CDLL, index: int, driver: str) -> dict[str, Any]:
    handle = ctypes.c_void_p()
    _check(library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(index), ctypes.byref(handle)))
    memory = _Memory()
    code: int = library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    return {
        "index": index,
        "vendor": "nvidia",
        "model": _text(library.nvmlDeviceGetName, handle),
        "uuid": _text(library.nvmlDeviceGetUUID, handle),
        "memory_bytes": int(memory.total) if code == 0 else 0,
        "driver": driver,
    }


def _text(function: Callable[..., int], *arguments: ctypes.c_void_p) -> str:
    text = ctypes.create_string_buffer(_TEXT)
    _check(function(*arguments, text, ctypes.c_uint(_TEXT)))
    return text.value.decode(errors="replace")


def _check(code: int) -> None:
    if code != 0:
        raise _Refused(code)


def from_smi(run: Run) -> Optional[list[dict[str, Any]]]:
    """What `nvidia-smi` lists; None where it is not there or its driver does not answer."""
    listing = run(
        ["nvidia-smi", f"--query-gpu={_QUERY}", "--format=csv,noheader,nounits"], timeout=WAIT
    )
    return parse_smi(listing.stdout) if listing.ok else None


def parse_smi(listing: str) -> list[dict[str, Any]]:
    """The GPUs in a listing by `nvidia-smi`, one to a line. Memory is in MiB, or `[N/A]`."""
    found: list[dict[str, Any]] = []
    for line in listing.splitlines():
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != len(_QUERY.split(",")) or not fields[0].isdecimal():
            continue
        index, model, uuid, mib, driver = fields
        found.append(
            {
                "index": int(index),
                "vendor": "nvidia",
                "model": model,
                "uuid": uuid,
                "memory_bytes": int(mib) * _MIB if mib.isdecimal() else 0,
                "driver": driver,
            }
        )
    return found
