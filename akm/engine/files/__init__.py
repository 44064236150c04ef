"""Workflow files that are written, converted, checked and previewed. Nothing is run."""
