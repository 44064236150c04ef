"""Workflow files as pure values: parse, check, compile, freeze. No database, clock, process or network."""
