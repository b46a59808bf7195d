"""Cut a version of the app: the folder that `moor app publish` takes.

A version is the manifest, the bundles of packages and the runbook. Digests and sizes are
written here, so that other packages cannot be published under the digests of these.

    python -m moorage_slurm.release 1.0.0 DIRECTORY
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

from moorage_slurm import bundle, cluster

HERE = Path(__file__).parent
BUNDLES = ("controller.tar", "worker.tar", *(f"{name}.tar" for name in bundle.ADDED))


def cut(version: str, folder: Path) -> Path:
    """Write the version into a folder, which is made where it is not there."""
    bundle.build(bundle.RELEASES[cluster.series(version)], to=folder)
    folder.joinpath(bundle.LISTING).unlink()
    text = HERE.joinpath("manifest.yaml").read_text()
    folder.joinpath("manifest.yaml").write_text(declare(text, version, folder))
    for name in ("runbook.md", "conformance.yaml"):
        shutil.copyfile(HERE / name, folder / name)
    return folder


def declare(manifest: str, version: str, bundles: Path) -> str:
    """The manifest of this number, with these bundles."""
    manifest = re.sub(r'^version: ".*"$', f'version: "{version}"', manifest, flags=re.MULTILINE)
    for name in BUNDLES:
        file = bundles / name
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        manifest = re.sub(
            rf"(  - name: {re.escape(name)}\n    digest: sha256:)\w+(\n    size: )\d+",
            rf"\g<1>{digest}\g<2>{file.stat().st_size}",
            manifest,
        )
    return manifest


if __name__ == "__main__":
    cut(sys.argv[1], Path(sys.argv[2]))
