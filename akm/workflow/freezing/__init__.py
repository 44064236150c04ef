"""From a parsed file and the installation's settings to a frozen plan."""
