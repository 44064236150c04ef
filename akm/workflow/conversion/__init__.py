"""Files of earlier grammars: read, and written in today's."""
