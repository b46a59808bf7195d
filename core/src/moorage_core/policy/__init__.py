"""Policy: layers that only narrow, and what follows from them for a concrete request.

Owns overlays. Decides; whoever wants something done asks here first and is told why not.
"""
