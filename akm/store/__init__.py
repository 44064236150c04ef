"""All SQL: the open database, the statements and one module of row functions per noun. Decides nothing."""
