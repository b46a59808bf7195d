"""The app, for whoever gives it its functions."""

from pathlib import Path

import moorage

KEY = "cluster_key"
"""The secret that every daemon of a cluster shares."""

app = moorage.App.from_manifest(Path(__file__).with_name("manifest.yaml"))
