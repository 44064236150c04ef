"""A `crontab` command whose crontab is a file, and a task that can be scheduled with it."""

# What `crontab -l` and `crontab -` do, over a file; a word in the text can make it refuse.
CRONTAB = """#!/bin/sh
case "$1" in
  -l) if test -e "$CRONTAB_FILE"; then cat "$CRONTAB_FILE"; else echo 'no crontab for me' >&2; exit 1; fi ;;
  -) cat > "$CRONTAB_FILE.new"
     if grep -q REFUSED "$CRONTAB_FILE.new"; then echo 'errors in crontab file' >&2; exit 1; fi
     mv "$CRONTAB_FILE.new" "$CRONTAB_FILE" ;;
esac
"""
TASK = 'version: 4\nrun: "true"\nschedule: "0 3 * * *"\n'
