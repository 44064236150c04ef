"""Driving a frozen plan: the driver thread alone touches the ledger, runners do the slow work."""
