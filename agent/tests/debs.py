"""Small Debian packages, made on the spot."""

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest


def build(
    folder: Path, name: str, version: str = "1.0", *, depends: str = "", postinst: str = ""
) -> bytes:
    """A package with one file in /usr/share and, perhaps, a script that its installation runs."""
    if shutil.which("dpkg-deb") is None:
        pytest.skip("needs dpkg-deb to make packages")
    root = folder / f"{name}-{version}"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "usr/share" / name).mkdir(parents=True)
    (root / "usr/share" / name / "version").write_text(version)
    needs = f"Depends: {depends}\n" if depends else ""
    (root / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: all\nSection: misc\n"
        f"Priority: optional\nMaintainer: Test <test@example.com>\n{needs}"
        f"Description: a package of the tests\n It says: what it is.\n"
    )
    if postinst:
        (root / "DEBIAN/postinst").write_text(f"#!/bin/sh\nset -e\n{postinst}\n")
        (root / "DEBIAN/postinst").chmod(0o755)
    place = folder / f"{name}_{version}.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "--build", root, place], check=True, capture_output=True
    )
    return place.read_bytes()


def bundle(**debs: bytes) -> bytes:
    """A tar of packages."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in debs.items():
            member = tarfile.TarInfo(f"./debs/{name}.deb")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()
