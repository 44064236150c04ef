"""Tasks: files that say what to run and when, the running of them, and the schedulers that fire them."""
