"""One conversation with an endpoint that speaks the chat completions protocol: request, exchange, answer."""
