"""Keys of a lab: one that opens every host, and one for each host to prove itself with."""

from pathlib import Path

from moorage_lab import shell


def ensure(path: Path, *, comment: str) -> str:
    """Make the key pair unless it is there; the public half."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        shell.call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path)
    return public(path)


def public(path: Path) -> str:
    return path.with_name(f"{path.name}.pub").read_text().strip()


def forget(path: Path) -> None:
    """Drop a key pair: the host that had it is no more."""
    path.unlink(missing_ok=True)
    path.with_name(f"{path.name}.pub").unlink(missing_ok=True)
