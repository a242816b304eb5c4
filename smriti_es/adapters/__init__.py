"""The memory where agent frameworks look for one; each module needs the framework's own package."""
