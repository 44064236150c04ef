"""What the history of tasks needs to know of running processes."""
