"""Growth with rows, slices, patterns, edges, models and partitions: measured, and written down in SCALE.md."""
