"""What fires tasks: the user's crontab, or a process of akm's own."""
