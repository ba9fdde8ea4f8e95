"""Backtesting: pseudo-targets made of labelled rows, and how methods did on them."""
