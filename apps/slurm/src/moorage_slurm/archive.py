"""The program for hosts as one file. Pure: the same files give the same bytes."""

import functools
import io
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = "/opt/moorage-slurm"
PATH = f"{FOLDER}/tool.pyz"
_START = "import sys\nfrom moorage_slurm.onhost.main import main\nsys.exit(main(sys.argv[1:]))\n"
_MODE = 0o644 << 16


@functools.cache
def make() -> bytes:
    """What is put at `PATH`."""
    files = {"__main__.py": _START, "moorage_slurm/__init__.py": ""}
    for source in sorted(HERE.joinpath("onhost").glob("*.py")):
        files[f"moorage_slurm/onhost/{source.name}"] = source.read_text()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
            archive.writestr(info, text)
    return out.getvalue()
