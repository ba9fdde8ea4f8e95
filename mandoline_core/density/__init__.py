"""Density ratios: features of rows, and three ways to fit how much likelier they are in the target."""
