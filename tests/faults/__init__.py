"""Faults on purpose: kills, failing calls, power cuts, damage, stuck processes, hostile input. `python -m tests.faults`."""
