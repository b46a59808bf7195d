"""Numbers in sentences."""


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number and what it counts: `1 artifact`, `2 artifacts`. `many` where an s is not enough."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
