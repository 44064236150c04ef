"""Looking after the ledger: examined, pruned, restored, taken back, exported and imported. Drives no run."""
