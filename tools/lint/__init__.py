"""Rules of this repository that no general linter knows: one file each, its docstring the story.

Run them with `python -m tools.lint`. Each rule has good and bad samples in `tests/lint/`.
"""
