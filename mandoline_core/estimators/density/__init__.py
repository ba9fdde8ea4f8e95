"""Density ratios on columns and slices: features go in, how much more frequent rows are in the target comes out."""
