"""Artifacts: bytes by digest, with a lifecycle and a trust that move apart from each other.

Owns artifacts, their uploads and signatures, publisher keys, and the store that holds the bytes.
Does not know which app uses an artifact, nor who may pull it.
"""
