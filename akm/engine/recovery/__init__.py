"""What leads a run on that stands still, or makes it stand still: cancel, fork, the commands to type."""
