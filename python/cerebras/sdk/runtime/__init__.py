"""The run-time interface."""
