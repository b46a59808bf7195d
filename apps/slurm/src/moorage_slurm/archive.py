"""The program for hosts as one file. Pure: the same files give the same bytes.

It is started for every question. Python compiles what it reads from such a file each time anew, so
on a host it unpacks itself once beside itself, and runs from there. Where nothing can be written,
as in a probe that comes first, it runs as it is. The folder is named by what is in it: the same
program put there again is not unpacked again, and another one never runs what this one left.
"""

import functools
import hashlib
import io
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = "/opt/moorage-slurm"
PATH = f"{FOLDER}/tool.pyz"
_START = """\
import os
import sys

here = sys.path[0]
place = f"{here}.DIGEST"
if not os.path.isdir(place):
    import shutil
    import zipfile

    part = f"{place}.{os.getpid()}"
    try:
        zipfile.ZipFile(here).extractall(part)
        os.rename(part, place)
    except OSError:  # somebody else was quicker, or nothing can be written here
        shutil.rmtree(part, ignore_errors=True)
sys.path.insert(0, place)
from moorage_slurm.onhost.main import main

sys.exit(main(sys.argv[1:]))
"""
_MODE = 0o644 << 16


@functools.cache
def make() -> bytes:
    """What is put at `PATH`."""
    files = {"__main__.py": _START, "moorage_slurm/__init__.py": ""}
    for source in sorted(HERE.joinpath("onhost").glob("*.py")):
        files[f"moorage_slurm/onhost/{source.name}"] = source.read_text()
    digest = hashlib.sha256(repr(files).encode()).hexdigest()[:16]
    files["__main__.py"] = _START.replace("DIGEST", digest)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
            archive.writestr(info, text)
    return out.getvalue()
