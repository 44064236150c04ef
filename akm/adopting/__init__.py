"""Rows of an akm-cli database as rows of ours, and the report of what came. SQL and writing are elsewhere."""
