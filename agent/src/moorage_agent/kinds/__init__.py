"""What the agent can do, one module for each kind of task."""
