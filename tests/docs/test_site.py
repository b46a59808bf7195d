"""The docs site: what it is built from, and what its checks find."""

from pathlib import Path

from tools.docs import links, pages
from tools.docs.__main__ import (
    build,
    fingerprint,
    put_in_place,
    put_scripts_aside,
    run_builder,
)

REPO = Path(__file__).parents[2]


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def index(section: str, *, then: str = "") -> tuple[str, str]:
    return f"{section}/README.md", f"# {section.title()}\n\n{then}"


def whole(**then: str) -> dict[str, str]:
    """A site with nothing in it but what a test puts there."""
    return {"README.md": "# Home\n"} | dict(
        index(section, then=then.get(section, "")) for section in pages.SECTIONS
    )


def test_the_site_of_this_repository_has_no_fault(tmp_path: Path) -> None:
    assert build(REPO, tmp_path) == []
    assert (tmp_path / "site/index.html").is_file()
    assert (tmp_path / "site/reference/contract/rules/index.html").is_file()


def test_what_the_builder_warns_of_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/index.md").write_text("# A\n\n[lost](lost.md)\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\ndocs_dir: pages\nsite_dir: site\n")

    assert run_builder(tmp_path) == ["index.md:3:8: page does not exist"]


def test_the_menu_follows_the_links_and_headings_of_an_index() -> None:
    listing = "[B](b.md)\n\n## More\n\n[A](a.md), again [B](b.md)\n\n## Words\n\nNone.\n"
    found = whole(howto=listing) | {"howto/a.md": "# Do A\n", "howto/b.md": "# Do B\n"}

    menu, faults = pages.menu(found)

    assert {
        "Howto": ["howto/README.md", {"Do B": "howto/b.md"}, {"More": [{"Do A": "howto/a.md"}]}]
    } in menu
    assert faults == []


def test_an_index_below_an_index_is_a_menu_of_its_own() -> None:
    found = whole(reference="[Contract](contract/README.md)") | {
        "reference/contract/README.md": "# Contract\n\n[Rules](rules.md)\n",
        "reference/contract/rules.md": "# Rules\n",
    }

    menu, _ = pages.menu(found)

    below = ["reference/contract/README.md", {"Rules": "reference/contract/rules.md"}]
    assert {"Reference": ["reference/README.md", {"Contract": below}]} in menu


def test_a_page_that_no_index_links_to_is_a_fault() -> None:
    _, faults = pages.menu(whole() | {"howto/lost.md": "# Lost\n"})

    assert faults == ["howto/lost.md: no README.md of its section links to it"]


def test_links_between_files_become_links_between_pages(tmp_path: Path) -> None:
    for name, text in {
        "docs/howto/a.md": "# A\n\n[rules](../../contract/rules/x.md#y), [code](../../core/x.py)\n"
        "```\n[kept](../../contract/rules/x.md)\n```\n",
        "contract/rules/x.md": "# X\n\n[back](../../docs/howto/a.md)\n",
        "core/x.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    site = pages.collect(tmp_path)

    assert "[rules](../reference/contract/rules/x.md#y), code" in site.pages["howto/a.md"]
    assert "[kept](../../contract/rules/x.md)" in site.pages["howto/a.md"]
    assert "[back](../../../howto/a.md)" in site.pages["reference/contract/rules/x.md"]


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    write(tmp_path, a='<a href="b.html">b</a> <a href="c.html">c</a>', b="")

    assert list(links.find(tmp_path)) == ["a.html: c.html leads nowhere"]


def test_a_link_to_no_heading_is_found(tmp_path: Path) -> None:
    write(tmp_path, a='<a href="b.html#x">b</a> <a href="b.html#y">b</a>', b='<h2 id="x">X</h2>')

    assert list(links.find(tmp_path)) == ["a.html: b.html#y leads to no heading of that page"]


def test_what_is_loaded_from_another_host_is_found_and_a_link_there_is_not(tmp_path: Path) -> None:
    page = '<script src="https://cdn.example/x.js"></script><a href="https://example.org">out</a>'
    write(tmp_path, a=page)

    (fault,) = links.find(tmp_path)

    assert fault == "a.html: loads https://cdn.example/x.js from another host"


def test_scripts_inside_pages_become_files_that_are_loaded_at_the_same_place(
    tmp_path: Path,
) -> None:
    write(tmp_path, a="<script>one()</script><p>", b__c="<script>one()</script>")

    put_scripts_aside(tmp_path)

    (script,) = (tmp_path / "assets/javascripts/pages").iterdir()
    assert script.read_text() == "one()"
    assert f'<script src="../assets/javascripts/pages/{script.name}">' in (
        (tmp_path / "b/c.html").read_text()
    )
    assert list(links.find(tmp_path)) == []


def test_the_fingerprint_changes_with_a_page_and_stays_with_none(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    (tmp_path / "docs/README.md").write_text("# A\n")
    before = fingerprint(tmp_path)

    again = fingerprint(tmp_path)
    (tmp_path / "docs/README.md").write_text("# B\n")

    assert again == before
    assert fingerprint(tmp_path) != before


def test_a_built_site_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    write(tmp_path / "served", old="")
    write(tmp_path / "work/site", new="")

    put_in_place(tmp_path / "work/site", tmp_path / "served")

    assert [path.name for path in (tmp_path / "served").iterdir()] == ["new.html"]
