"""The little language of expression slices: text goes in, an expression over columns comes out."""
