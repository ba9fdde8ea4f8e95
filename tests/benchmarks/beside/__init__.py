"""Mandoline next to NannyML and balance: lines of code and seconds to a first result, and the error on three problems.

Each package runs in an environment of its own, on the same CSV files: `make bench-beside`.
"""
