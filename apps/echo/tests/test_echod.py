"""The program on the hosts: one leader, its replicas, and what they owe each other."""

import http.server
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moorage_echo import cluster, echod, simulated
from moorage_echo.simulated import Network, Seat

LEADER, FIRST, SECOND = "10.0.0.1", "10.0.0.2", "10.0.0.3"
NOW = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)
(PROGRAM,) = simulated.programs("0.1.0")


class Net:
    """Hosts with nothing but files, and a unit that starts and stops."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, bytes]] = {}
        self.up: set[str] = set()
        self.starts: dict[str, int] = {}
        self.now = NOW
        self._network = Network(now=lambda: self.now)

    def settle(self, address: str, **settings: Any) -> None:
        """Say what a host is."""
        known = {"port": 7411, "max_keys": 5, "address": address}
        files = self.files.setdefault(address, {cluster.PROGRAM: PROGRAM, cluster.KEY: b"key"})
        files[cluster.SETTINGS] = json.dumps(known | settings).encode()
        self._network.add(
            Seat(
                address,
                read=files.get,
                write=files.__setitem__,
                starts=lambda: self.starts[address] if address in self.up else 0,
            )
        )

    def start(self, address: str) -> None:
        self.starts[address] = self.starts.get(address, 0) + 1
        self.up.add(address)
        self._network.refresh()

    def stop(self, address: str) -> None:
        self.up.discard(address)
        self._network.refresh()

    def state(self, address: str) -> Any:
        return json.loads(self.files[address][str(echod.STATE)])

    def run(self, address: str, verb: str, **given: Any) -> dict[str, Any]:
        """What is typed on a host, and answered."""
        argv = ["/usr/bin/python3", cluster.PROGRAM, verb]
        ended = self._network.command(address, argv, json.dumps(given))
        assert ended is not None
        code, said = ended[0], json.loads(ended[1])
        if code:
            raise echod.Refused(said["code"], said["message"])
        return said


@pytest.fixture
def net() -> Net:
    """A leader and two replicas that have joined it."""
    net = Net()
    net.settle(LEADER, name="leader-1", role="leader", leader=LEADER)
    net.start(LEADER)
    for address, name in ((FIRST, "replica-1"), (SECOND, "replica-2")):
        net.settle(address, name=name, role="replica", leader=LEADER)
        net.start(address)
        net.run(address, "join")
    return net


def test_a_write_reaches_every_replica(net: Net) -> None:
    said = net.run(LEADER, "put", key="a", value="1")

    assert said == {"key": "a", "revision": 1, "copies": 3}
    assert net.run(FIRST, "get", key="a") == net.run(SECOND, "get", key="a")


def test_the_same_write_again_is_counted_once(net: Net) -> None:
    net.run(LEADER, "put", key="a", value="1")
    before = net.state(LEADER)

    assert net.run(LEADER, "put", key="a", value="1") == {"key": "a", "revision": 1, "copies": 3}
    assert net.state(LEADER) == before


def test_a_replica_takes_no_writes(net: Net) -> None:
    with pytest.raises(echod.Refused, match="knows no 'put'"):
        net.run(FIRST, "put", key="a", value="1")


def test_a_replica_that_joins_late_has_what_was_written_before(net: Net) -> None:
    net.run(LEADER, "put", key="a", value="1")
    net.settle("10.0.0.4", name="replica-3", role="replica", leader=LEADER)
    net.start("10.0.0.4")

    net.run("10.0.0.4", "join")

    assert net.run("10.0.0.4", "get", key="a")["value"] == "1"


def test_joining_twice_is_joining_once(net: Net) -> None:
    before = net.state(LEADER)

    net.run(FIRST, "join")

    assert net.state(LEADER) == before


def test_a_drained_replica_gets_no_writes_until_it_resumes(net: Net) -> None:
    net.run(FIRST, "drain")
    assert net.run(LEADER, "put", key="a", value="1")["copies"] == 2
    assert net.run(FIRST, "status")["keys"] == 0

    net.run(FIRST, "resume")

    assert net.run(FIRST, "get", key="a")["value"] == "1"
    assert net.run(LEADER, "put", key="b", value="2")["copies"] == 3


def test_a_drained_replica_keeps_its_holds_and_takes_no_more(net: Net) -> None:
    net.run(FIRST, "hold", name="report")

    assert net.run(FIRST, "drain") == {"holds": ["report"]}
    with pytest.raises(echod.Refused, match="use another one"):
        net.run(FIRST, "hold", name="another")
    net.run(FIRST, "release", name="report")
    assert net.run(FIRST, "status")["holds"] == []


def test_a_replica_that_was_away_is_behind_until_the_next_write(net: Net) -> None:
    net.stop(FIRST)
    net.run(LEADER, "put", key="a", value="1")
    assert net.run(LEADER, "status")["behind"] == ["replica-1"]
    net.start(FIRST)

    net.run(LEADER, "put", key="b", value="2")

    assert net.run(LEADER, "status")["behind"] == []
    assert net.run(FIRST, "get", key="a")["value"] == "1"


def test_a_server_that_starts_again_has_everything(net: Net) -> None:
    net.run(LEADER, "put", key="a", value="1")
    net.stop(LEADER)
    net.start(LEADER)

    assert net.run(LEADER, "get", key="a")["value"] == "1"
    assert net.run(LEADER, "put", key="b", value="2")["copies"] == 3


def test_an_older_copy_does_not_replace_a_newer_one(net: Net) -> None:
    net.run(LEADER, "put", key="a", value="1")

    net.run(FIRST, "load", revision=0, values={})

    assert net.run(FIRST, "get", key="a")["value"] == "1"


def test_a_replica_that_left_is_sent_nothing(net: Net) -> None:
    net.run(FIRST, "leave")

    assert net.run(LEADER, "put", key="a", value="1")["copies"] == 2
    assert list(net.run(LEADER, "status")["replicas"]) == ["replica-2"]


def test_a_new_leader_begins_with_the_newest_copy(net: Net) -> None:
    net.run(LEADER, "put", key="a", value="1")
    net.run(FIRST, "drain")
    net.run(LEADER, "put", key="b", value="2")
    net.stop(LEADER)
    net.settle("10.0.0.9", name="leader-2", role="leader", leader="10.0.0.9")
    net.start("10.0.0.9")
    replicas = {"replica-1": FIRST, "replica-2": SECOND}

    net.run("10.0.0.9", "adopt", **{"from": [LEADER, *replicas.values()], "replicas": replicas})

    assert net.run("10.0.0.9", "status")["keys"] == 2
    assert net.run(FIRST, "status")["keys"] == 2
    assert net.run("10.0.0.9", "put", key="c", value="3")["copies"] == 3


def test_there_is_no_room_beyond_the_limit(net: Net) -> None:
    for number in range(5):
        net.run(LEADER, "put", key=str(number), value="x")

    with pytest.raises(echod.Refused, match="no room"):
        net.run(LEADER, "put", key="one more", value="x")
    assert net.run(LEADER, "put", key="0", value="y")["revision"] == 6


def test_settings_are_read_again_on_request(net: Net) -> None:
    net.settle(LEADER, name="leader-1", role="leader", leader=LEADER, max_keys=0)
    net.run(LEADER, "put", key="a", value="1")

    net.run(LEADER, "reload")

    with pytest.raises(echod.Refused, match="no room"):
        net.run(LEADER, "put", key="b", value="2")


def test_the_cluster_says_who_does_not_answer(net: Net) -> None:
    net.stop(SECOND)

    said = net.run(LEADER, "cluster")["replicas"]

    assert said["replica-1"]["status"]["role"] == "replica"
    assert "does not answer" in said["replica-2"]["error"]


def test_writes_are_counted_by_the_minute_and_old_minutes_go(net: Net) -> None:
    for minute in range(echod.MINUTES_KEPT + 5):
        net.now = NOW + timedelta(minutes=minute)
        net.run(LEADER, "put", key="a", value=str(minute))
    net.run(LEADER, "put", key="a", value="another")

    minutes = net.run(LEADER, "status")["minutes"]

    assert len(minutes) == echod.MINUTES_KEPT
    assert list(minutes.values())[-2:] == [1, 2]


@pytest.mark.parametrize("given", [{}, {"key": "", "value": "1"}, {"key": "a", "value": 1}])
def test_what_is_not_a_key_with_a_value_is_refused(net: Net, given: dict[str, Any]) -> None:
    with pytest.raises(echod.Refused, match="must be text"):
        net.run(LEADER, "put", **given)


def test_servers_with_another_key_are_not_heard(net: Net) -> None:
    net.files[FIRST][cluster.KEY] = b"another"
    net.stop(FIRST)
    net.start(FIRST)

    assert net.run(LEADER, "put", key="a", value="1")["copies"] == 2
    with pytest.raises(echod.Refused, match="another one"):
        net.run(FIRST, "join")


@pytest.fixture
def port() -> Iterator[int]:
    """A server on loopback, with the key `right`."""
    settings = {"name": "leader-1", "role": "leader", "port": 0, "max_keys": 5, "leader": "here"}
    server = echod.Server(
        settings=lambda: settings,
        load=lambda: None,
        save=lambda _: None,
        ask=lambda *_: {},
        now=lambda: NOW,
    )
    handler = echod.handler(server, b"right")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield listening.server_port
        listening.shutdown()
        thread.join()


def test_whoever_has_the_key_is_answered(port: int) -> None:
    ask = echod.asking(port, b"right")

    assert ask(echod.HERE, "put", {"key": "a", "value": "1"})["revision"] == 1
    with pytest.raises(echod.Refused) as refused:
        ask(echod.HERE, "get", {"key": "b"})
    assert refused.value.code == "no_such_key"


def test_whoever_has_another_key_is_not(port: int) -> None:
    with pytest.raises(echod.Refused) as refused:
        echod.asking(port, b"wrong")(echod.HERE, "status", {})

    assert refused.value.code == "bad_signature"


def test_a_server_has_its_state_on_disk_from_its_first_start_on() -> None:
    net = Net()
    net.settle(LEADER, name="leader-1", role="leader", leader=LEADER)

    net.start(LEADER)

    assert net.state(LEADER) == echod.EMPTY


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    place = tmp_path / "state.json"
    echod.write(place, b"before")

    echod.write(place, b"after")

    assert place.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [place]
