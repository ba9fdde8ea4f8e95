"""Benchmarks: ratios of two things measured in the same run, run with `python -m tests.benchmarks`."""
