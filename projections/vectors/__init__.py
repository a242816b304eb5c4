"""`vectors`: what turns mean, as numbers."""
