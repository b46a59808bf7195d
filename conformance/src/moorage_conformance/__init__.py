"""The contract's rules as tests: any app, in any language, on any platform.

The kit knows no app and nothing of the core: it speaks the public API, and what it must know of an
app stands in the app's own `conformance.yaml`.
"""
