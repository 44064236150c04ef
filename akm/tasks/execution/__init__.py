"""One run of a task: prepared, reserved, dispatched, logged and closed."""
