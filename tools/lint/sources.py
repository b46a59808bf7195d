"""The parsed sources that the rules read. Every file is read and parsed once, for all rules."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

PACKAGES = {
    "moorage_core": "core/src/moorage_core",
    "moorage": "sdk/src/moorage",
    "moorage_cli": "cli/src/moorage_cli",
    "moorage_manifest": "manifest/src/moorage_manifest",
    "moorage_lab": "lab/src/moorage_lab",
    "moorage_agent": "agent/src/moorage_agent",
}

# The folders of core that are no slices. Any other folder there is one.
NOT_SLICES = frozenset(
    {"authz", "background", "contract", "embedded", "http", "kit", "migrations", "operate"}
)


@dataclass(frozen=True)
class Source:
    """One module."""

    package: str
    place: PurePosixPath
    """Where it stands inside its package: `tenancy/store.py`."""
    tree: ast.Module

    @property
    def path(self) -> str:
        return f"{PACKAGES[self.package]}/{self.place}"

    @property
    def slice(self) -> str | None:
        """The slice it belongs to, if any."""
        if self.package != "moorage_core" or len(self.place.parts) == 1:
            return None
        top = self.place.parts[0]
        return None if top in NOT_SLICES else top

    @property
    def module(self) -> str:
        """Its dotted name: `moorage_core.tenancy.store`."""
        return ".".join([self.package, *self.place.with_suffix("").parts])

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""

    @property
    def is_store(self) -> bool:
        """Whether it is a slice's `store.py`, or one of several: `node_store.py`."""
        return self.slice is not None and is_store(self.place.stem)

    def is_under(self, *places: str) -> bool:
        """Whether it is one of these modules, or in one of these folders, of its package."""
        return any(self.place.is_relative_to(place) for place in places)

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Every call with the dotted name of what is called; `""` where it has none."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield node, dotted(node.func)

    def imports(self) -> Iterator[tuple[int, str]]:
        """Every imported module or name, dotted, with its line."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


@dataclass(frozen=True)
class Finding:
    """A line that breaks a rule, and what to do about it."""

    source: Source
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.source.path}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Tree:
    """All sources of the platform's packages."""

    sources: tuple[Source, ...]

    def in_slices(self) -> Iterator[Source]:
        """Every module of every slice."""
        return (source for source in self.sources if source.slice)

    def core(self) -> Iterator[Source]:
        return (source for source in self.sources if source.package == "moorage_core")


def read(repo: Path) -> Tree:
    """Parse the packages of a repository."""
    return Tree(
        tuple(
            parse(package, str(path.relative_to(repo / folder)), path.read_text("utf-8"))
            for package, folder in PACKAGES.items()
            for path in sorted((repo / folder).rglob("*.py"))
        )
    )


def of(texts: Mapping[str, str], *, package: str = "moorage_core") -> Tree:
    """A tree made of texts by place, for samples."""
    return Tree(tuple(parse(package, place, text) for place, text in texts.items()))


def parse(package: str, place: str, text: str) -> Source:
    return Source(package, PurePosixPath(place), ast.parse(text, filename=place))


def dotted(node: ast.expr) -> str:
    """`a.b.c` of a name or attribute; what cannot be named is left out at the front."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}".lstrip(".")
    return ""


def is_store(name: str) -> bool:
    """Whether a module of this name is where a slice keeps its SQL."""
    return name == "store" or name.endswith("_store")


def has_prefix(name: str, prefixes: frozenset[str]) -> bool:
    """Whether a dotted name is one of these, or lies below one of them."""
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)
