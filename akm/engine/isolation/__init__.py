"""Git worktrees in which units work apart from one another."""
