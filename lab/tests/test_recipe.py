"""An image is named after what it is made of."""

from dataclasses import replace

from moorage_lab.recipe import Recipe


def test_the_same_recipe_has_the_same_name() -> None:
    assert Recipe().name == Recipe().name
    assert Recipe().name.startswith("trixie-")


def test_any_change_of_the_recipe_is_another_image() -> None:
    recipe = Recipe()
    changed = [
        replace(recipe, suite="forky"),
        replace(recipe, packages=(*recipe.packages, "strace")),
        replace(recipe, finish=f"{recipe.finish}true\n"),
    ]

    assert len({recipe.digest, *(other.digest for other in changed)}) == 4


def test_the_image_has_the_whole_of_python() -> None:
    assert "python3" in Recipe().packages
    assert "python3-minimal" not in Recipe().packages
