"""A frozen plan as the text that the ledger keeps, and back."""
