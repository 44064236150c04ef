"""Measurements against bare SQLite, a plain loop and an empty interpreter; no test times anything."""
