"""A host becomes a node while somebody looks at the dialog that waits for it."""

from playwright.sync_api import BrowserContext, expect

from moorage_lab import Lab
from tests.console.browsing import LONG_MS, row, tab
from tests.e2e import world


def test_a_host_arrives_by_the_line_that_the_dialog_shows(
    operator: BrowserContext, lab: Lab
) -> None:
    host = lab.hosts[-1]
    with tab(operator) as found:
        page = found.page
        found.open("/platform/nodes")
        page.get_by_role("button", name="Add a node").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Name").fill(host.name)
        dialog.get_by_label("Labels").fill("rack=a1")
        found.look("add-a-node")
        dialog.get_by_role("button", name="Add", exact=True).click()
        dialog.get_by_role("button", name="Make the line").click()
        line = dialog.get_by_role("region", name="the line to run on the host").inner_text()
        expect(dialog.get_by_role("status")).to_contain_text("Waiting for the host")
        found.look("enrol-waits", phone=True)

        world.paste(host, line.strip())

        expect(dialog.get_by_text(f"{host.name} is there")).to_be_visible(timeout=LONG_MS)
        found.look("enrol-arrived")
        dialog.get_by_role("button", name="Close").last.click()
        expect(row(page, host.name).get_by_text("Available")).to_be_visible(timeout=LONG_MS)
