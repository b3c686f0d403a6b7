"""What the benchmarks draw, start and count; what they measure is judged in `tests/budget/` and by their own gates."""
