"""Where a webhook may point, what it gets, how it signs, and what answers mean."""

import base64
import hashlib
import hmac
import itertools
from datetime import UTC, datetime, timedelta

import pytest

from moorage_core.errors import Malformed
from moorage_core.webhooks import rules
from moorage_core.webhooks.rules import Answer, Failure, Keys, Status

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
KNOWN = ["iam.org.created", "iam.org.deleted", "events.webhook.created"]


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org", "https://example.org/"),
        ("https://Example.ORG/Hook", "https://example.org/Hook"),
        ("HTTPS://example.org/", "https://example.org/"),
        ("https://example.org:8443/in?a=1&b=%20", "https://example.org:8443/in?a=1&b=%20"),
        ("https://example.org./x", "https://example.org/x"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("https://[2606:4700:0:0::1111]:444/", "https://[2606:4700::1111]:444/"),
    ],
)
def test_a_url_is_kept_in_one_spelling(url: str, kept: str) -> None:
    assert rules.check_url(url, private=False) == kept


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "example.org",
        "//example.org/",
        "https:///path",
        "https://",
        "https://user@example.org/",
        "https://user:pw@example.org/",
        "https://@example.org/",
        "https://example.org/#part",
        "https://example.org/#",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org:x/",
        "https://example.org:-1/",
        "https://exa mple.org/",
        "https://example.org/a b",
        "https://example.org\\@evil.example/",
        "https://example.org/\r\nx: y",
        "https://example.org/\x00",
        "https://example.org/\x7f",
        "https://exam_ple.org/",
        "https://-bad.example/",
        "https://a..b/",
        "https://%6cocalhost/",
        "https://[::1/",
        "https://example.org/" + "a" * 2048,
        "https://example.org/" + "ä" * 500,
    ],
)
def test_a_url_that_is_not_plain_https_is_refused(url: str) -> None:
    with pytest.raises(rules.UrlNotAllowed) as refusal:
        rules.check_url(url, private=False)

    assert refusal.value.errors[0].location == "body.url"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "127.0.0.1",
        "127.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.0x1",
        "\uff11\uff12\uff17.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "0",
        "0x",
        "10.0.0.8",
        "169.254.169.254",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::169.254.169.254]",
        "[fe80::1%25eth0]",
        "[fd00::1]",
    ],
)
def test_a_private_address_is_refused_however_it_is_spelt(host: str) -> None:
    with pytest.raises(rules.UrlNotAllowed):
        rules.check_url(f"https://{host}/", private=False)


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://127.0.0.1:8080/in", "http://127.0.0.1:8080/in"),
        ("http://localhost/", "http://localhost/"),
        ("https://[::1]/", "https://[::1]/"),
    ],
)
def test_where_private_addresses_are_allowed_plain_http_is_too(url: str, kept: str) -> None:
    assert rules.check_url(url, private=True) == kept


def test_checking_a_kept_url_again_changes_nothing() -> None:
    kept = rules.check_url("https://Bücher.example:443/ä?q=ß", private=False)

    assert rules.check_url(kept, private=False) == kept


@pytest.mark.parametrize(
    ("pattern", "type", "matches"),
    [
        ("*", "iam.org.created", True),
        ("iam.*", "iam.org.created", True),
        ("iam.org.*", "iam.org.created", True),
        ("iam.org.created", "iam.org.created", True),
        ("iam.org", "iam.org.created", False),
        ("iam.*", "iamx.org.created", False),
        ("iam.project.*", "iam.org.created", False),
    ],
)
def test_a_pattern_is_a_type_or_a_beginning_up_to_a_dot(
    pattern: str, type: str, matches: bool
) -> None:
    assert rules.matches(pattern, type) is matches


def test_doubles_in_a_filter_are_dropped() -> None:
    assert rules.check_types(["iam.*", "*", "iam.*"], known=KNOWN) == ["iam.*", "*"]


def test_a_filter_that_can_match_nothing_is_refused_by_name() -> None:
    with pytest.raises(rules.UnknownEventType) as refusal:
        rules.check_types(["iam.*", "iam.org.creatd"], known=KNOWN)

    assert "iam.org.creatd" in refusal.value.detail
    assert refusal.value.errors[0].location == "body.types.1"


@pytest.mark.parametrize("cursor", ["dlv_x", "9" * 19, "-1", "1_0"])
def test_a_cursor_of_another_list_is_refused(cursor: str) -> None:
    with pytest.raises(Malformed):
        rules.position(cursor)


def test_a_signature_is_the_published_example_of_standard_webhooks() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    headers = rules.signature_headers(
        b'{"test": 2432232314}',
        keys=[key],
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=datetime.fromtimestamp(1614265330, UTC),
    )

    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_each_key_in_force_signs() -> None:
    headers = rules.signature_headers(
        b"{}", keys=[b"a" * 32, b"b" * 32], message_id="evt_1", at=NOW
    )

    signed = f"evt_1.{int(NOW.timestamp())}.{{}}".encode()
    expected = [
        "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
        for key in (b"a" * 32, b"b" * 32)
    ]
    assert headers["webhook-signature"].split(" ") == expected


def test_after_a_rotation_the_old_key_signs_until_its_time_is_over() -> None:
    keys = rules.unpack(Keys(b"a" * 32).rotated(b"b" * 32).packed())
    until = NOW + timedelta(hours=1)

    before = keys.in_force(previous_until=until, now=NOW)
    after = keys.in_force(previous_until=until, now=until)

    assert before == [b"b" * 32, b"a" * 32]
    assert after == [b"b" * 32]


def test_a_second_rotation_drops_the_oldest_key() -> None:
    keys = Keys(b"a" * 32).rotated(b"b" * 32).rotated(b"c" * 32)

    assert rules.unpack(keys.packed()) == Keys(b"c" * 32, b"b" * 32)


def test_a_shown_secret_is_the_key_in_base64_behind_a_prefix() -> None:
    shown = rules.spell_secret(b"k" * 32)

    assert base64.b64decode(shown.removeprefix("whsec_")) == b"k" * 32


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (200, None),
        (204, None),
        (299, None),
        (301, Failure.REDIRECTED),
        (304, Failure.REDIRECTED),
        (400, Failure.REFUSED),
        (404, Failure.REFUSED),
        (410, Failure.GONE),
        (500, Failure.REFUSED),
    ],
)
def test_only_a_2xx_delivers(status: int, failure: Failure | None) -> None:
    assert rules.read_status(status) == Answer(failure, status)


def test_pauses_grow_up_to_hours_and_never_meet() -> None:
    pauses = [rules.backoff("dlv_1", attempt) for attempt in range(1, 30)]

    assert timedelta(seconds=4) <= pauses[0] <= timedelta(seconds=6)
    assert all(a < b for a, b in itertools.pairwise(pauses[:8]))
    assert all(timedelta(hours=4.8) <= pause <= timedelta(hours=7.2) for pause in pauses[8:])
    assert len({rules.backoff(f"dlv_{n}", 3) for n in range(100)}) == 100


def test_a_failed_try_is_repeated_after_the_pause() -> None:
    verdict = rules.judge(
        Answer(Failure.TIMED_OUT), delivery="dlv_1", attempts=2, limit=12, now=NOW
    )

    assert verdict.status is Status.PENDING
    assert verdict.due_at == NOW + rules.backoff("dlv_1", 2)


@pytest.mark.parametrize(
    ("retry_after", "pause"),
    [
        ("600", timedelta(minutes=10)),
        ("999999", rules.LONGEST_PAUSE),
        ("1", rules.backoff("dlv_1", 1)),
        ("tomorrow", rules.backoff("dlv_1", 1)),
        ("-5", rules.backoff("dlv_1", 1)),
    ],
)
def test_a_receiver_can_ask_for_a_longer_pause_but_not_a_shorter(
    retry_after: str, pause: timedelta
) -> None:
    answer = rules.read_status(503, retry_after=retry_after)

    verdict = rules.judge(answer, delivery="dlv_1", attempts=1, limit=12, now=NOW)

    assert verdict.due_at == NOW + pause


@pytest.mark.parametrize(
    ("answer", "attempts", "status"),
    [
        (Answer(None, 200), 12, Status.DELIVERED),
        (Answer(Failure.REFUSED, 500), 11, Status.PENDING),
        (Answer(Failure.REFUSED, 500), 12, Status.DEAD),
        (Answer(Failure.GONE, 410), 1, Status.DEAD),
        (Answer(Failure.WEBHOOK_DISABLED), 1, Status.DEAD),
        (Answer(Failure.EVENT_EXPIRED), 1, Status.DEAD),
    ],
)
def test_a_delivery_ends_delivered_or_dead(answer: Answer, attempts: int, status: Status) -> None:
    verdict = rules.judge(answer, delivery="dlv_1", attempts=attempts, limit=12, now=NOW)

    assert verdict.status is status


@pytest.mark.parametrize(
    ("status", "enabled", "event_kept", "error"),
    [
        ("pending", True, True, rules.StillTrying),
        ("dead", False, True, rules.WebhookDisabled),
        ("delivered", True, False, rules.EventExpired),
    ],
)
def test_a_redelivery_needs_an_end_a_receiver_and_an_event(
    status: str, enabled: bool, event_kept: bool, error: type[Exception]
) -> None:
    with pytest.raises(error):
        rules.check_can_redeliver(status, delivery="d", enabled=enabled, event_kept=event_kept)
