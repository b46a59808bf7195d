"""The agent keeps to the protocol, whatever happens to it, to the platform and in between."""

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.tests import certificates, running, standin
from lab.tests.waiting import wait_until
from moorage_agent import baseline, identity, trust
from moorage_agent.kinds.put import DRAFT
from moorage_agent.platform import Platform
from moorage_agent.session import Session

SECRET = b"planted-secret-7f3a"


def content(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.fixture
def started(agent: running.Local, platform: standin.Platform) -> running.Local:
    agent.start()
    platform.until(lambda: platform.polls)
    return agent


def put(platform: standin.Platform, path: Path, data: bytes = b"x", **given: Any) -> standin.Sent:
    wanted = {"path": str(path), "content": content(data), "mode": "0644"}
    return platform.send("put", input=wanted, **given)


def test_a_task_is_done_and_told_and_forgotten(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    sent = put(platform, tmp_path / "file", b"hello")

    end = platform.ended(sent)

    assert (end["state"], end["changed"], end["error"]) == ("succeeded", True, None)
    assert (tmp_path / "file").read_bytes() == b"hello"
    platform.until(lambda: platform.polls[-1]["holds"] == [])
    platform.until(lambda: not list(started.places.tasks.iterdir()))


def test_the_first_poll_tells_the_inventory_and_later_ones_only_when_asked(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    platform.ended(put(platform, tmp_path / "file"))
    told = [bool(poll.get("inventory")) for poll in platform.polls]
    platform.want_inventory = True
    with platform.changed:
        platform.changed.notify_all()
    count = len(platform.polls)

    platform.until(lambda: any(poll.get("inventory") for poll in platform.polls[count:]))

    assert told[0]
    assert not any(told[1:])


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("unknown_kind", {"kind": "dance"}),
        ("wrong_allocation", {"kind": "put", "allocation_id": "alc_other"}),
        ("stale_fence", {"kind": "put", "fence": 1}),
        ("input_invalid", {"kind": "put", "secrets": {"A": "not base64!"}, "fence": 9}),
    ],
)
def test_what_the_protocol_forbids_is_refused_and_not_done(
    code: str,
    given: dict[str, Any],
    started: running.Local,
    platform: standin.Platform,
    tmp_path: Path,
) -> None:
    platform.binding = {"allocation_id": "alc_1", "org_id": "org_1", "project_id": "prj_1"}
    platform.ended(put(platform, tmp_path / "first", fence=2, allocation_id="alc_1"))

    path = {"path": str(tmp_path / "no"), "content": content(b"x")}
    end = platform.ended(platform.send(**{"input": path, "fence": 5, **given}))

    assert (end["state"], end["error"]["code"]) == ("failed", code)
    assert not (tmp_path / "no").exists()


def test_content_comes_also_when_the_token_has_just_run_out(
    agent: running.Local, platform: standin.Platform
) -> None:
    mine = identity.load(agent.places.identity)
    assert mine is not None
    server = Platform(mine.url, trust.context(agent.places.ca))
    session = Session(server, mine, agent.places)
    sent = platform.send("put", content=b"an artifact")
    session.token()
    (node,) = platform.nodes.values()
    node.token = "gone"

    pieces = list(session.stream(f"/v1/agent/tasks/{sent.id}/content"))
    server.close()

    assert b"".join(pieces) == b"an artifact"


def test_a_stale_fence_is_known_after_the_agent_was_killed(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    platform.ended(put(platform, tmp_path / "first", fence=7))
    started.kill()
    started.start()

    end = platform.ended(put(platform, tmp_path / "second", fence=6))

    assert end["error"]["code"] == "stale_fence"


def test_an_end_whose_answer_was_lost_is_told_again(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    platform.lost_answers = ["/v1/agent/reports"] * 2

    sent = put(platform, tmp_path / "file")
    platform.ended(sent)
    platform.until(lambda: platform.polls[-1]["holds"] == [])

    assert [report["state"] for report in sent.reports].count("succeeded") == 1
    assert platform.lost_answers == []


def test_output_whose_answer_was_lost_goes_on_at_the_right_place(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    data = bytes(range(256)) * 4096
    (tmp_path / "big").write_bytes(data)
    sent = platform.send("get", input={"path": str(tmp_path / "big")}, output_limit=2**21)
    platform.lost_answers = [f"/v1/agent/tasks/{sent.id}/output/content"] * 2

    end = platform.ended(sent)

    assert end["state"] == "succeeded"
    assert sent.output["content"] == data


@pytest.mark.parametrize("code", ["output_ended", "output_full"])
def test_output_that_is_not_taken_any_more_does_not_hold_back_the_end(
    code: str, started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"hello")
    platform.output_refusal = code

    sent = platform.send("get", input={"path": str(tmp_path / "file")})

    assert platform.ended(sent)["state"] == "succeeded"
    platform.until(lambda: platform.polls[-1]["holds"] == [])


def test_a_server_that_starts_anew_in_the_middle_of_a_poll_is_found_again(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    platform.stop()
    platform.start()

    end = platform.ended(put(platform, tmp_path / "file"))

    assert end["state"] == "succeeded"


def test_an_agent_that_is_killed_says_of_what_it_did_that_nobody_knows(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    sent = platform.send("put", content=b"never comes", input=stalled(tmp_path / "file"))
    platform.stalled.clear()
    platform.until(lambda: platform.waiting)

    started.kill()
    platform.stalled.set()
    started.start()

    end = platform.ended(sent)
    assert (end["state"], end["error"]["code"]) == ("unknown", "lost")
    assert not (tmp_path / "file").exists()
    assert [*tmp_path.glob(f"{DRAFT}*")] == [], "nothing half-written stays beside its place"


def stalled(path: Path) -> dict[str, object]:
    digest = hashlib.sha256(b"never comes").hexdigest()
    return {"path": str(path), "digest": digest, "size": 11}


def test_secrets_are_nowhere_but_where_they_belong(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    given = {"path": str(tmp_path / "target"), "content": {"$secret": "KEY"}, "mode": "0600"}
    sent = platform.send("put", input=given, secrets={"KEY": content(SECRET)})

    platform.ended(sent)

    holders = [path for path in tmp_path.rglob("*") if path.is_file() and has_secret(path)]
    assert holders == [tmp_path / "target"]


def has_secret(path: Path) -> bool:
    data = path.read_bytes()
    return SECRET in data or content(SECRET).encode() in data


# --- identity ------------------------------------------------------------------------------------


def test_an_exchange_whose_answer_was_lost_is_repeated_with_the_same_words(
    agent: running.Local, platform: standin.Platform
) -> None:
    platform.lost_answers = ["/v1/agent/token"]
    agent.start()

    platform.until(lambda: platform.polls)

    (node,) = platform.nodes.values()
    assert len(node.used) == 1
    assert not node.quarantined


def test_an_agent_that_was_killed_in_the_middle_of_an_exchange_is_not_taken_for_a_clone(
    agent: running.Local, platform: standin.Platform
) -> None:
    platform.lost_answers = ["/v1/agent/token"] * 1000
    (node,) = platform.nodes.values()
    agent.start()
    platform.until(lambda: node.used)
    agent.kill()
    platform.lost_answers = []

    agent.start()
    platform.until(lambda: platform.polls)

    assert not node.quarantined


def test_a_clone_of_an_agent_is_found_out_and_does_no_work(
    started: running.Local, platform: standin.Platform
) -> None:
    (node,) = platform.nodes.values()
    mine = json.loads(started.places.identity.read_text())
    clone = {**mine, "nonce": next(iter(node.used))}
    started.kill()
    started.places.identity.write_text(json.dumps(clone))

    polls = len(platform.polls)

    started.start()
    platform.until(lambda: node.quarantined)

    wait_until(lambda: "identity_conflict" in started.log.read_text())
    assert len(platform.polls) == polls


def test_a_retired_node_stops_for_good(started: running.Local, platform: standin.Platform) -> None:
    (node,) = platform.nodes.values()
    node.retired = True
    node.token = ""
    with platform.changed:
        platform.changed.notify_all()

    assert started.wait() == 78


# --- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def cramped(platform: standin.Platform, small_disk: Path) -> Iterator[running.Local]:
    """An agent at work whose files are on a disk of one MiB."""
    platform.wait = 0.2
    agent = running.Local(small_disk, platform)
    agent.log = small_disk.parent / "log"
    agent.start()
    platform.until(lambda: len(platform.polls) > 1)
    yield agent
    agent.kill()


def fill(agent: running.Local) -> None:
    """Write until the disk takes nothing more."""
    with contextlib.suppress(OSError), (agent.places.root / "fill").open("ab", 0) as file:
        while True:
            file.write(b"x" * 512)


def let_token_run_out(platform: standin.Platform) -> None:
    (node,) = platform.nodes.values()
    node.token = "gone"
    platform.stop()
    platform.start()


def test_on_a_full_disk_the_agent_gets_new_tokens_and_starts_again(
    cramped: running.Local, platform: standin.Platform
) -> None:
    fill(cramped)
    (node,) = platform.nodes.values()
    exchanges, polls = len(node.used), len(platform.polls)

    let_token_run_out(platform)
    platform.until(lambda: len(node.used) > exchanges and len(platform.polls) > polls)
    cramped.kill()
    runs = {poll["run_id"] for poll in platform.polls}
    cramped.start()

    platform.until(lambda: platform.polls[-1]["run_id"] not in runs)
    assert "the disk is full" in cramped.log.read_text()


def test_an_agent_without_any_room_waits_for_some(
    cramped: running.Local, platform: standin.Platform
) -> None:
    cramped.kill()
    (cramped.places.state / "ballast").unlink()
    fill(cramped)
    cramped.start()
    wait_until(lambda: "tries again until there is room" in cramped.log.read_text())
    polls = len(platform.polls)

    (cramped.places.root / "fill").unlink()

    platform.until(lambda: len(platform.polls) > polls)
    assert cramped.is_alive()
    wait_until((cramped.places.state / "ballast").exists)


def test_a_host_is_cleared_also_while_its_disk_is_full(
    cramped: running.Local, platform: standin.Platform
) -> None:
    fill(cramped)

    refused = platform.ended(put(platform, cramped.places.root / "file"))
    given = {"authorities": "no list", "people": "none either"}
    cleared = platform.ended(platform.send("access-sync", input=given))

    assert refused["error"]["code"] == "disk_full"
    assert cleared["error"]["code"] == "input_invalid", "it was begun"


# --- trust ---------------------------------------------------------------------------------------


def test_the_authority_changes_without_a_new_enrolment(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    old, new = platform.authority, certificates.Authority.make(tmp_path / "next", name="next")

    offer(platform, old.pem + new.pem)
    platform.stop()
    platform.start(new.issue(platform.address))
    offer(platform, new.pem)
    end = platform.ended(put(platform, tmp_path / "file"))

    assert end["state"] == "succeeded"
    assert started.places.ca.read_bytes() == new.pem


def offer(platform: standin.Platform, bundle: bytes) -> None:
    """Serve a bundle, and wait until the agent has it."""
    platform.bundle = bundle
    with platform.changed:
        platform.changed.notify_all()
    digest = hashlib.sha256(bundle).hexdigest()
    platform.until(lambda: platform.polls[-1]["trust"] == digest)


def test_a_bundle_that_would_cut_the_host_off_is_not_taken(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    stranger = certificates.Authority.make(tmp_path / "stranger", name="stranger")
    platform.bundle = stranger.pem
    with platform.changed:
        platform.changed.notify_all()

    end = platform.ended(put(platform, tmp_path / "file"))

    assert end["state"] == "succeeded"
    assert started.places.ca.read_bytes() == platform.authority.pem


def test_a_new_holder_has_packages_looked_at_anew_and_nothing_else(
    started: running.Local, platform: standin.Platform, tmp_path: Path
) -> None:
    root, state = started.places.root, started.places.state
    users, packages = root / "etc/passwd", root / "var/lib/dpkg/status"
    for file in (users, packages):
        file.parent.mkdir(parents=True, exist_ok=True)
    users.write_text("root:x:0:0::/root:/bin/sh\n")
    packages.write_text(package("base"))
    baseline.take(state, root=root)

    def known_to(allocation: str, name: str) -> dict[str, list[str]]:
        """The baseline, after one more of everything came and a holder did something."""
        users.write_text(f"{users.read_text()}{name}:x:1001:1001::/home/{name}:/bin/sh\n")
        packages.write_text(packages.read_text() + package(name))
        platform.binding = {"allocation_id": allocation, "org_id": "o", "project_id": "p"}
        sent = put(platform, tmp_path / name, allocation_id=allocation)
        assert platform.ended(sent)["state"] == "succeeded"
        picture = baseline.find(state) or {}
        return {what: sorted(picture[what]) for what in ("users", "packages")}

    first = known_to("alc_1", "ann")
    same = known_to("alc_1", "bob")
    second = known_to("alc_2", "cat")

    assert first == same == {"users": ["root"], "packages": ["ann", "base"]}
    assert second == {"users": ["root"], "packages": ["ann", "base", "bob", "cat"]}


def package(name: str) -> str:
    return f"Package: {name}\nStatus: install ok installed\nVersion: 1\n\n"
