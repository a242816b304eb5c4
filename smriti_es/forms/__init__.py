"""How what the engine gives back looks in JSON, on every surface that writes JSON."""
