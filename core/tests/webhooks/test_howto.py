"""The page for those who receive webhooks tells the truth."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from core.tests.webhooks.conftest import Settle, WebhookMaker
from core.tests.webhooks.receiver import Receiver
from moorage_core.settings import WebhookSettings
from moorage_core.webhooks import rules

PAGE = Path(__file__).parents[3] / "docs/howto/receive-webhooks.md"


def snippet() -> Callable[[str, dict[str, str], bytes], bool]:
    """The function that the page shows."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, PAGE.name, "exec"), names)
    return names["is_genuine"]


async def test_the_page_s_code_knows_a_genuine_delivery_from_a_forged_one(
    webhook: WebhookMaker,
    happen: Callable[[str], Awaitable[str]],
    queue: Settle,
    deliver: Settle,
    receiver: Receiver,
) -> None:
    made = await webhook(types=["iam.project.created"])
    await happen("first")
    await queue()
    await deliver()
    [request] = receiver.received
    old = {**request.headers, "webhook-timestamp": "1614265330"}
    other = {**request.headers, "webhook-id": "evt_other"}

    is_genuine = snippet()

    assert is_genuine(made["secret"], request.headers, request.body)
    assert not is_genuine(made["secret"], request.headers, request.body + b" ")
    assert not is_genuine(made["secret"], old, request.body)
    assert not is_genuine(made["secret"], other, request.body)
    assert not is_genuine(rules.spell_secret(b"x" * 32), request.headers, request.body)


def test_the_page_names_every_failure_and_the_numbers_in_force() -> None:
    text = PAGE.read_text()
    defaults = WebhookSettings()
    pauses = sum(
        rules.backoff("dlv_1", attempt).total_seconds() for attempt in range(1, defaults.attempts)
    )

    for failure in rules.Failure:
        assert f"`{failure}`" in text
    assert f"within {defaults.timeout.seconds} seconds" in text
    assert f"After {defaults.attempts} tries, about a day" in text
    assert 18 < pauses / 3600 < 30
