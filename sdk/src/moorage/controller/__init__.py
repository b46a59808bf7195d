"""The framework for controllers: an app's functions, the engine that runs them, the runner."""
