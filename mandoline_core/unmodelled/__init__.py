"""What is not modelled: columns, words and pairs of slices, before and after weighting."""
