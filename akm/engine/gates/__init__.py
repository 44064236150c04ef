"""What stands between a step's units and its end: its artifact, its judge, a person's approval."""
