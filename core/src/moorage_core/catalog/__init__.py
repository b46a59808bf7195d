"""The catalog: apps, their versions, and the channels that versions are promoted to.

Owns apps, app_versions, version_artifacts, app_channels and promotions. Reads manifests with
`moorage_manifest` and knows no app by name.
"""
