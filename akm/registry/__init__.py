"""Registries: what others publish, found by searching their indexes, also while a registry is down."""
