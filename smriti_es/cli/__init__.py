"""The command line `smriti-es`: it reads arguments, calls the engine, and shows what comes back."""

from smriti_es.cli.application import app, main

__all__ = ["app", "main"]
