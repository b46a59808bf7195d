"""Properties are judged by what they show, not by how long a busy machine takes to show it."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
