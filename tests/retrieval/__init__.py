"""How well facts are found in the hand-written set of this folder."""
