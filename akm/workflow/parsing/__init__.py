"""From the bytes of a workflow file to a checked document, with every fault of its author."""
