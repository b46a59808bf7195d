"""Looking names up: one thread per name, a share of the threads per org. Sending: webhooks."""

import asyncio
import ipaddress
import socket
import threading

import pytest

from moorage_core.kit import outbound


async def test_a_name_is_looked_up_once_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    release = threading.Event()

    def slow(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        release.wait(60)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    resolver = outbound.Resolver(threads=2, share=1)

    several = [asyncio.create_task(resolver.find("slow.example", org="a")) for _ in range(5)]
    impatient = asyncio.create_task(resolver.find("slow.example", org="b"))
    await asyncio.sleep(0)
    impatient.cancel()
    release.set()
    found = await asyncio.gather(*several)

    assert asked == ["slow.example"]
    assert found == [[ipaddress.ip_address("192.0.2.1")]] * 5


async def test_names_that_nobody_answers_for_hold_no_threads_of_another_org(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    def look_up(host: str, *_: object, **__: object) -> list[object]:
        if host.startswith("tar"):
            release.wait(60)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    resolver = outbound.Resolver(threads=4, share=2)

    # Each try gives up at once; its thread does not come back.
    for n in range(8):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(resolver.find(f"tar{n}.example", org="slow"), 0.01)
    found = await asyncio.wait_for(resolver.find("good.example", org="other"), 30)
    release.set()
    waited = await asyncio.wait_for(resolver.find("tar7.example", org="slow"), 30)

    assert found == waited == [ipaddress.ip_address("192.0.2.1")]


async def test_an_impossible_name_has_no_address() -> None:
    resolver = outbound.Resolver(threads=1, share=1)

    assert await resolver.find("no-such-host.invalid", org="a") == []
    assert await resolver.find("a" * 300, org="a") == []
