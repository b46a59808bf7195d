"""Builds the docs site that the platform serves under `/docs`, and judges it.

    python -m tools.docs            build it, unless the pages are as they were
    python -m tools.docs --check    build it; exit 1 where a link is dead or a page is in no menu

The site lands in the package of the core, outside of the repository's history. It is built from
the Markdown that is read in the repository: the same links work in both places.
"""
