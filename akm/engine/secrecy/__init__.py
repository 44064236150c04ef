"""Env assets and secrets: found, read, handed to units, and kept out of the ledger."""
