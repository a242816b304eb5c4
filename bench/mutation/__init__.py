"""Mutation testing of what the log's proofs rest on: `python -m bench.mutation`."""
