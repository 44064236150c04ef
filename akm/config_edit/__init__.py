"""Changes to the user's configuration file that keep its comments and every other line."""
