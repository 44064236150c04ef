"""Task files: read, checked, converted and written. Nothing is run or scheduled."""
