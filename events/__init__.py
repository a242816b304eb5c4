"""The ground floor: what happened, in order, provably. Imports nothing of ours from above."""
