"""Other libraries that keep durable steps in SQLite, beside akm: each side in a process of its own."""
