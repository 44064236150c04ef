"""What every exchange over HTTP needs, whoever asks for it: ends of time, waits, bodies, words for faults."""
