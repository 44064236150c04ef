"""When tasks fire and what fires them: switched on, synchronised, served, and missed."""
