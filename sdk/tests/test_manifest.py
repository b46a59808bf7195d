"""The SDK hands on the library that judges manifests."""

import subprocess
import sys

import moorage_manifest
from moorage import manifest


def test_every_name_is_the_library_s_own() -> None:
    theirs = {name: getattr(moorage_manifest, name) for name in manifest.__all__}

    assert {name: getattr(manifest, name) for name in manifest.__all__} == theirs


def test_a_program_that_asks_for_no_manifest_does_not_load_it() -> None:
    program = "import sys, moorage; sys.exit('moorage_manifest' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
