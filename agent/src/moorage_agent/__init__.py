"""The node agent: asks the platform for tasks, does them, and says what became of them."""

__version__ = "0.1.0"
