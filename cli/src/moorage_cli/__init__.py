"""`moor`: operate Moorage from a terminal."""

__version__ = "0.1.0"
